import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';

const sampleMs = 15_000;
/** How much a process may grow after its warm-up. */
const maxGrowthMb = 150;
const warmMs = 120_000;
const uploadsPerProcess = 4;

/** Detects leaks: memory, connections, open files, files on disk. */
export const sampleGrowth = ({
  db,
  folder,
  pids,
  killed,
}: {
  db: pg.Pool;
  folder: string;
  pids: () => readonly number[];
  /** How many processes were killed: each may leave uploads, which are swept three hours later. */
  killed: () => number;
}) => {
  const seen = new Map<number, { firstMb: number; lastMb: number; mostMb: number; files: number; sinceMs: number }>();
  const sample = () => {
    for (const pid of pids()) {
      const mb = residentMb(pid);
      if (mb === undefined) continue;
      const sampled = seen.get(pid) ?? { firstMb: 0, lastMb: 0, mostMb: 0, files: 0, sinceMs: performance.now() };
      // Take the baseline after the warm-up, when code is compiled and caches are filled.
      if (sampled.firstMb === 0 && performance.now() - sampled.sinceMs > warmMs) sampled.firstMb = mb;
      sampled.lastMb = mb;
      sampled.mostMb = Math.max(sampled.mostMb, mb);
      sampled.files = openFiles(pid);
      seen.set(pid, sampled);
    }
  };
  sample();
  const timer = setInterval(sample, sampleMs);
  let connections = 0;

  return {
    settle: async () => {
      await sleep(5_000);
      sample();
      clearInterval(timer);
    },
    check: async () => {
      const problems: string[] = [];
      for (const [pid, { firstMb, lastMb, files }] of seen) {
        if (firstMb > 0 && lastMb - firstMb > maxGrowthMb) {
          problems.push(`process ${pid} grew from ${firstMb} to ${lastMb} MB`);
        }
        if (files > 300) problems.push(`process ${pid} has ${files} open files`);
      }
      const { rows } = await db.query(
        `select count(*)::int as count from pg_stat_activity where backend_type = 'client backend'`,
      );
      connections = rows[0].count;
      const most = pids().length * 20 + 5;
      if (connections > most) problems.push(`${connections} connections to the database`);
      const leftovers = filesIn(folder).filter((path) => path.includes('incoming'));
      if (leftovers.length > killed() * uploadsPerProcess)
        problems.push(`uploads that nobody removed: ${leftovers.slice(0, 5).join(', ')}`);
      const open = await db.query(`select count(*)::int as count from sends where claim is not null`);
      if (open.rows[0].count > 0) problems.push(`${open.rows[0].count} sends are still claimed`);
      return problems;
    },
    figures: () => ({
      processes: [...seen.values()].map(({ firstMb, lastMb, mostMb, files }) => ({ firstMb, lastMb, mostMb, files })),
      connections,
    }),
  };
};

const residentMb = (pid: number) => {
  try {
    const kb = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return kb === undefined ? undefined : Math.round(Number(kb) / 1024);
  } catch {
    return undefined;
  }
};

const openFiles = (pid: number) => {
  try {
    return readdirSync(`/proc/${pid}/fd`).length;
  } catch {
    return 0;
  }
};

const filesIn = (folder: string): string[] => {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => `${entry.parentPath}/${entry.name}`);
  } catch {
    return [];
  }
};
