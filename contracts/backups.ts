import { z } from 'zod';
import {
  appRoute,
  byId,
  CanonicalInstant,
  Done,
  Empty,
  publicRoute,
  type RawRoute,
  type Route,
  rawRoute,
} from './define.ts';
import { FactorProof } from './passkeys.ts';
import { everyone } from './scopes.ts';

export const backupReasons = ['Nightly', 'Asked', 'Update'] as const;
export const backupStates = ['Running', 'Made', 'Failed'] as const;

export const BackupContents = z
  .object({
    people: z.number().int().describe('Users'),
    workspaces: z.number().int().describe('Workspaces'),
    posts: z.number().int().describe('Posts of all workspaces'),
    scheduled: z.number().int().describe('Of these, posts that were scheduled'),
    publishing: z.number().int().optional().describe('Posts that were being published; absent in older backups'),
    accounts: z.number().int().describe('Connected accounts'),
    files: z.number().int().describe('Files of the media libraries'),
  })
  .meta({ id: 'BackupContents', description: 'How much a backup holds' });
export type BackupContents = z.output<typeof BackupContents>;

export const Backup = z
  .object({
    id: z.string().describe('Prefix `bak_`; for a dump before an update the name of its file'),
    reason: z
      .enum(backupReasons)
      .describe('Nightly: by `BACKUP_AT`. Asked: by a person. Update: only the database, before a migration'),
    state: z.enum(backupStates).describe('Running, Made or Failed'),
    startedAt: CanonicalInstant.describe('When it began'),
    bytes: z.number().int().optional().describe('Size of the file'),
    path: z.string().optional().describe('Where the file is on the server'),
    host: z.string().optional().describe('The machine that has the file; absent when it is here'),
    contents: BackupContents.optional().describe('What it holds; absent for a dump before an update'),
    verifiedAt: CanonicalInstant.optional().describe('When it was restored into a scratch database and counted'),
    problem: z.string().optional().describe('Why it was not made, what it lacks, or why it could not be restored'),
  })
  .meta({ id: 'Backup', description: 'A backup of the whole installation' });
export type Backup = z.output<typeof Backup>;

export const HeldPost = z
  .object({
    id: z.string().describe('Post id'),
    workspaceId: z.string().describe('Its workspace'),
    workspace: z.string().describe('Name of its workspace'),
    text: z.string().describe('Beginning of its text; empty without one'),
    scheduledAt: CanonicalInstant.optional().describe('When it was due; absent for one that was being published'),
    updatedAt: CanonicalInstant.describe('When it was last changed before the backup'),
    accounts: z.array(z.string()).describe('Names of the accounts it is for'),
  })
  .meta({ id: 'HeldPost', description: 'A post that was due while nothing was sent' });
export type HeldPost = z.output<typeof HeldPost>;

export const OutgoingHold = z
  .object({
    backupAt: CanonicalInstant.describe('When the restored backup was made'),
    restoredAt: CanonicalInstant.describe('When it was restored'),
  })
  .meta({ id: 'OutgoingHold', description: 'After a restore nothing is sent until a person releases it' });

export const UploadedBackup = z
  .object({
    posthorn: z.string().describe('The release that made it'),
    createdAt: CanonicalInstant.describe('When it was made'),
    bytes: z.number().int().describe('Size of the file'),
    contents: BackupContents.optional().describe('What it holds; absent for one of an older release'),
    withoutMedia: z.boolean().describe('Whether it is a dump before an update, which has only the database'),
    needsKey: z.boolean().describe('Whether the encryption key of the old installation is missing here'),
  })
  .meta({ id: 'UploadedBackup', description: 'A backup that was uploaded and checked, and can be restored' });
export type UploadedBackup = z.output<typeof UploadedBackup>;

const Ticket = z.string().min(1).max(100);

export const backupRoutes = {
  readRestore: publicRoute({
    method: 'GET',
    path: '/api/auth/restore',
    tag: 'Session',
    summary: 'Read how far a restore is',
    description: 'While a backup is restored the server answers nothing else.',
    answer: z.object({
      isRunning: z.boolean().describe('Whether a backup is being restored'),
      progress: z.string().optional().describe('What is done at the moment'),
      problem: z.string().optional().describe('Why the last restore changed nothing'),
    }),
  }),
  prepareRestore: publicRoute({
    method: 'POST',
    path: '/api/auth/restore/files',
    tag: 'Session',
    summary: 'Prepare the upload of a backup',
    description:
      'While there is no user yet. In production it takes the code that Posthorn prints when it starts. The ticket that it returns is for `POST /api/auth/restore/file`, with the file as body and the ticket in the header `posthorn-ticket`.',
    body: z.strictObject({
      bytes: z.number().int().min(1).describe('Size of the file'),
      code: z.string().trim().max(100).default('').describe('Of the first owner; in production only'),
    }),
    answer: z.object({ ticket: Ticket.describe('For the upload and the restore; it works until the next start') }),
    more: ['Conflict'],
  }),
  beginRestore: publicRoute({
    method: 'POST',
    path: '/api/auth/restore',
    tag: 'Session',
    summary: 'Restore the uploaded backup',
    description:
      'While there is no user yet. The server stops its work, restores, and starts again. Afterwards nothing is sent until a person releases it. When it fails, everything is as before.',
    body: z.strictObject({
      ticket: Ticket.describe('Of the upload'),
      keys: z
        .string()
        .trim()
        .max(10_000)
        .default('')
        .describe('The content of secrets.json of the old data folder, or the value of ENCRYPTION_KEYS, if needed'),
    }),
    answer: Done,
    more: ['Conflict'],
  }),

  readBackups: appRoute({
    method: 'GET',
    path: '/api/app/backups',
    tag: 'Installation',
    summary: 'List the backups of this server',
    description: 'For whoever set Posthorn up.',
    roles: everyone,
    answer: z.object({
      schedule: z
        .object({
          at: z.string().optional().describe('Time of the day by the clock of the server; absent when it is off'),
          days: z.number().int().describe('For this many days, the newest backup of each day is kept'),
          weeks: z.number().int().describe('For this many weeks, the newest backup of each week is kept'),
          folder: z.string().describe('Where they are on the server'),
        })
        .describe('From the settings `BACKUP_AT`, `BACKUP_KEEP` and `BACKUP_FOLDER`'),
      backups: z.array(Backup).describe('Newest first'),
      hold: OutgoingHold.extend({
        dueCount: z.number().int().describe('Posts that were due since the backup'),
        due: z.array(HeldPost).describe('The first 100 of them. Releasing does not send them'),
      })
        .optional()
        .describe('Present while nothing is sent after a restore'),
    }),
    errors: ['Forbidden'],
  }),
  makeBackup: appRoute({
    method: 'POST',
    path: '/api/app/backups',
    tag: 'Installation',
    summary: 'Back up now',
    description: 'For whoever set Posthorn up. It begins at once and ends in the background: read the list again.',
    roles: everyone,
    body: Empty,
    answer: Done,
    errors: ['Forbidden', 'Conflict'],
  }),
  beginBackupDownload: appRoute({
    method: 'POST',
    path: '/api/app/backups/:id/download',
    tag: 'Installation',
    summary: 'Begin to download a backup',
    description: 'For whoever set Posthorn up. Asks for the password or a code, because a backup holds everything.',
    roles: everyone,
    params: byId('Backup id'),
    body: FactorProof,
    answer: z.object({
      path: z.string().describe('Path of the file, for the browser; it works for 5 minutes, in this session only'),
    }),
    more: ['NotFound', 'Conflict'],
  }),
  releaseHold: appRoute({
    method: 'POST',
    path: '/api/app/backups/release',
    tag: 'Installation',
    summary: 'Send again after a restore',
    description:
      'For whoever set Posthorn up. Asks for the password or a code. Posts of the backup that were due since are not sent: they become Failed with an uncertain result, because the old server may have published them. Webhook deliveries and mails that waited in the backup are ended. What people began after the restore is sent.',
    roles: everyone,
    body: FactorProof,
    answer: z.object({
      posts: z.number().int().describe('Posts that were due and are not sent'),
      deliveries: z.number().int().describe('Webhook deliveries that were ended'),
      messages: z.number().int().describe('Mails and push messages that were ended'),
    }),
    errors: ['Forbidden', 'Conflict'],
  }),
} as const satisfies Record<string, Route>;
export type BackupRoutes = typeof backupRoutes;

export const backupPaths = {
  uploadBackup: rawRoute({
    methods: ['POST'],
    path: '/api/auth/restore/file',
    access: 'Own',
    handler: 'Own',
    description: 'A backup to restore, while there is no user yet. prepareRestore gives the ticket.',
  }),
  downloadBackup: rawRoute({
    methods: ['GET', 'HEAD'],
    path: '/api/app/backups/:id/file/:ticket',
    access: 'Session',
    roles: everyone,
    handler: 'Own',
    description: 'The file of a backup, for whoever set Posthorn up. beginBackupDownload gives the ticket.',
  }),
} as const satisfies Record<string, RawRoute>;
