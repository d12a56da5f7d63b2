import express from 'express';
import type { AuditLog } from '#server/access/audit/audit-log';
import type { ApprovalCards } from '#server/agents/approvals/cards';
import type { MovableClock } from '#server/base/clock';
import type { Config } from '#server/base/config/config';
import { createSandboxClient } from '#server/base/outbound/sandbox-client';
import type { Database } from '#server/base/store/database';
import type { Accounts } from '#server/connecting/accounts/accounts';
import type { Connecting } from '#server/connecting/accounts/connecting';
import type { Providers } from '#server/connecting/providers/providers';
import type { Webhooks } from '#server/messaging/webhooks/webhooks';
import type { Networks } from '#server/networks/registry';
import type { Sandbox } from '#server/networks/sandbox';
import type { People } from '#server/people/workspaces/people';
import type { Drafts } from '#server/writing/posts/drafts';
import type { SandboxClock } from './clock.ts';
import { createSandboxFeed } from './feed.ts';
import { createMediaFetch } from './media-fetch.ts';
import { sandboxRoutes } from './routes.ts';
import { createSandboxes } from './sandboxes.ts';
import { createSandboxStore } from './store.ts';
import { testReceiverPath } from './test-receiver-path.ts';

export const openSandbox = ({
  database,
  folders,
  networks,
  accounts,
  drafts,
  ask,
  people,
  audit,
  connecting,
  providers,
  webhooks,
  config: { baseUrl, production, sandboxUrl },
  ownUrl,
  clock,
  sandboxClock,
}: {
  database: Database;
  /** The sandbox of each network. */
  folders: Readonly<Record<string, Sandbox>>;
  networks: Networks;
  accounts: Pick<Accounts, 'networksOf'>;
  drafts: Pick<Drafts, 'addDraft'>;
  ask: ApprovalCards['request'];
  people: Pick<People, 'mustBeOperator'>;
  connecting: Connecting;
  providers: Providers;
  webhooks: Pick<Webhooks, 'receive'>;
  audit: AuditLog;
  config: Config;
  ownUrl: () => string;
  clock: MovableClock;
  sandboxClock: SandboxClock;
}) => {
  const ownClient = createSandboxClient(ownUrl);
  const fetchMedia = createMediaFetch({ outbound: ownClient, baseUrl, ownUrl });
  const sandboxes = createSandboxes({
    folders,
    networks: networks.all,
    store: createSandboxStore(database),
    clock,
    baseUrl,
    fetchMedia,
  });
  const sandboxFeed = createSandboxFeed({ sandboxes, sandboxClock, networks, baseUrl });
  return {
    sandboxes,
    routes: sandboxRoutes({
      sandboxes,
      sandboxClock,
      sandboxFeed,
      sandboxPage: (url) => url.replace(sandboxUrl ?? baseUrl, sandboxUrl ?? ownUrl()),
      people,
      audit,
      connecting,
      accounts,
      drafts,
      ask,
      networks,
      providers,
      production,
    }),
    /** Absent in production. */
    sandboxPaths: () => (production ? undefined : express.Router().use(testReceiverPath(webhooks), sandboxes.router())),
    close: ownClient.close,
  };
};
