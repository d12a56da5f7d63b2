import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { pino } from 'pino';
import { readConfig } from '#server/base/config/config';
import { openService } from '#server/wiring/open-service';
import { freshDatabase, urlOf } from './database.ts';

export type InstallationCopy = Awaited<ReturnType<Awaited<ReturnType<typeof makeHealthyInstallation>>['copy']>>;

/** A key that has encrypted something, an owner, a draft, a webhook and a backup, in copies to be broken. */
export const makeHealthyInstallation = async () => {
  const { parts, drop } = await freshDatabase({ isMigrated: true });
  const dataDir = await mkdtemp(join(tmpdir(), 'posthorn-healthy-'));
  const config = readConfig({ POSTHORN_DATA: dataDir, DATABASE_URL: urlOf(parts), LOG_LEVEL: 'silent' });
  const { posthorn, close } = await openService(config, pino({ level: 'silent' }));
  const person = { email: 'owner@example.com', password: 'correct horse', workspace: 'Demo' };
  const caller = { ...(await posthorn.people.setUp(person)), role: 'owner', mayPublish: true, isPerson: true } as const;
  await posthorn.push.publicKey();
  await posthorn.drafts.create(caller, { accountIds: [], body: 'Hello', versions: [], scheduledAt: '' });
  await posthorn.webhooks.add(caller, { url: 'https://example.com/hook', events: ['post.published'] });
  await posthorn.audit.write({ event: 'backup.made', details: { keys: [] } });
  await close();
  return {
    copy: () => copyOf(parts.database, dataDir),
    drop: async () => {
      await drop();
      await rm(dataDir, { recursive: true });
    },
  };
};

const copyOf = async (source: string, sourceDir: string) => {
  const { parts, drop } = await freshDatabase({ copyOf: source });
  const dataDir = await mkdtemp(join(tmpdir(), 'posthorn-doctor-'));
  await cp(sourceDir, dataDir, { recursive: true });
  const database = new pg.Client(parts);
  await database.connect();
  const settings = { POSTHORN_DATA: dataDir, DATABASE_URL: urlOf(parts), PORT: '0', LOG_LEVEL: 'silent' };
  return {
    parts,
    dataDir,
    /** The environment of its processes. */
    settings,
    /** For changes behind the back of the service. */
    database,
    configWith: (more: NodeJS.ProcessEnv = {}) => readConfig({ ...settings, ...more }),
    drop: async () => {
      await database.end();
      await drop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
};
