import { z } from 'zod';
import { AuditEntry } from './audit.ts';
import { OutgoingHold } from './backups.ts';
import { appRoute, CanonicalInstant, Done, Id, type Route } from './define.ts';
import { FactorProof } from './passkeys.ts';
import { everyone } from './scopes.ts';

export const InstallationCheck = z
  .object({
    name: z.string().describe('What was checked, such as `late posts` or `disk space`'),
    level: z.enum(['warning', 'failure']).describe('A failure keeps a part of the service from working'),
    message: z.string().describe('What is wrong, then what to do'),
  })
  .meta({ id: 'InstallationCheck', description: 'Something that the operator should know about this server' });
export type InstallationCheck = z.output<typeof InstallationCheck>;

export const networkKeyStates = ['Environment', 'Entered', 'Missing'] as const;

export const NetworkKeys = z
  .object({
    network: z.string().describe('Key of the network'),
    provider: z.string().describe('Its name'),
    state: z
      .enum(networkKeyStates)
      .describe('Environment: set where the server runs, which wins. Entered: in the app. Missing: none or not all'),
    settings: z.array(z.string()).describe('Names of the credentials, the id first'),
    redirectUri: z.string().describe('The address to register at the network, to the letter'),
    sharedWith: z.array(z.string()).describe('Names of other networks that use the same credentials'),
    updatedAt: CanonicalInstant.optional().describe('When they were entered'),
    workedAt: CanonicalInstant.optional().describe('When somebody first signed in at the network with them'),
  })
  .meta({ id: 'NetworkKeys', description: 'Credentials of Posthorn at a network. Their values are never returned' });
export type NetworkKeys = z.output<typeof NetworkKeys>;

export const ServerAuditEntry = AuditEntry.extend({
  person: z.string().optional().describe('Name of whoever did it'),
}).meta({ id: 'ServerAuditEntry', description: 'One thing that somebody did to the server, in no workspace' });
export type ServerAuditEntry = z.output<typeof ServerAuditEntry>;

const byNetwork = z.strictObject({ network: Id.describe('Key of the network') });

export const installationRoutes = {
  readNetworkKeys: appRoute({
    method: 'GET',
    path: '/api/app/network-keys',
    tag: 'Installation',
    summary: 'List which networks have credentials',
    description: 'For everybody; only whoever set Posthorn up can enter them.',
    roles: everyone,
    answer: z.object({
      networks: z.array(NetworkKeys).describe('Networks that need credentials'),
      operator: z.string().describe('Name of the person who set Posthorn up, and can enter them'),
    }),
  }),
  saveNetworkKeys: appRoute({
    method: 'POST',
    path: '/api/app/network-keys/:network',
    tag: 'Installation',
    summary: 'Enter the credentials of a network',
    description:
      'For whoever set Posthorn up. Asks for the password or a code. They are tried at the network where it has a way to do that, stored encrypted, and used at once by every instance. Credentials in the environment win, and are refused here.',
    roles: everyone,
    params: byNetwork,
    body: FactorProof.extend({
      values: z.record(z.string().max(100), z.string().trim().max(1000)).describe('By the name of the setting'),
    }),
    answer: z.object({
      tried: z.boolean().describe('Whether the network has confirmed them. Else a first sign-in there shows it'),
    }),
    more: ['NotFound', 'Conflict'],
  }),
  removeNetworkKeys: appRoute({
    method: 'POST',
    path: '/api/app/network-keys/:network/remove',
    tag: 'Installation',
    summary: 'Remove the credentials of a network',
    description:
      'For whoever set Posthorn up. Asks for the password or a code. Accounts that are connected with them can no longer publish when their access has to be renewed.',
    roles: everyone,
    params: byNetwork,
    body: FactorProof,
    answer: Done,
    more: ['NotFound', 'Conflict'],
  }),

  readInstallation: appRoute({
    method: 'GET',
    path: '/api/app/installation',
    tag: 'Installation',
    summary: 'List the problems of this server',
    description:
      'For whoever set Posthorn up: the checks of `posthorn doctor`, at most a minute old; those that ask other servers at most ten minutes while they are well. Empty for everybody else. After a restore everybody reads why nothing is sent.',
    roles: everyone,
    answer: z.object({
      checks: z.array(InstallationCheck).describe('Failures first; empty when all is well'),
      hold: OutgoingHold.optional().describe('For everybody: present while nothing is sent after a restore'),
    }),
  }),

  listServerAudit: appRoute({
    method: 'GET',
    path: '/api/app/installation/audit',
    tag: 'Installation',
    summary: 'Read the log of this server',
    description:
      'For whoever set Posthorn up: what belongs to no workspace, such as credentials of networks, backups, keys, and sign-ins that failed. The last 200 entries.',
    roles: everyone,
    answer: z.object({ entries: z.array(ServerAuditEntry).describe('The newest first') }),
    errors: ['Forbidden'],
  }),
} as const satisfies Record<string, Route>;
export type InstallationRoutes = typeof installationRoutes;
