import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { TestProject } from 'vitest/node';
import type { Connection } from '#server/store/database';
import { startEmbedded } from '#server/store/embedded';

declare module 'vitest' {
  interface ProvidedContext {
    postgres: Connection;
  }
}

/** One server for the whole run; what it holds is thrown away, so it need not wait for the disk. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'posthorn-test-'));
  fs.chmodSync(dir, 0o711); // the server may run as another user
  const flags = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off'].flatMap((setting) => ['-c', setting]);
  const embedded = await startEmbedded(dir, { flags });
  project.provide('postgres', embedded.config);
  return async () => {
    await embedded.stop();
    fs.rmSync(dir, { recursive: true });
  };
}
