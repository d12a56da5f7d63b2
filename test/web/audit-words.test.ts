import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { auditWords, hasAuditWords } from '#web/pages/workspace/audit-words.ts';

const server = resolve(import.meta.dirname, '../../server');

/** As the slices write them: `event: 'token.created'`, `record(caller, 'member.role', …)`. */
const events = readdirSync(server, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !name.startsWith('networks'))
  .flatMap((name) => [
    ...readFileSync(join(server, name), 'utf8').matchAll(
      /(?:\bevent: (?:known \? '([a-z.-]+)' : )?|record\(caller, )'([a-z.-]+)'/g,
    ),
  ])
  .flatMap(([, first, second]) => [first, second].filter((event) => event !== undefined));

const names = { person: () => 'Marta', network: () => 'X' };

test('every event that the server writes is told in words', () => {
  expect(new Set(events).size).toBeGreaterThan(25);
  expect([...new Set(events)].filter((event) => !hasAuditWords(event))).toEqual([]);
});

test('an entry is a sentence with who, what and whom', () => {
  const entry = { id: 'aud_1', createdAt: '2026-11-15T09:30:00Z', userId: 'usr_1' };
  const tell = (event: string, details: Record<string, unknown>, client?: string) =>
    auditWords({ ...entry, event, details, ...(client && { client }) }, names);
  expect(tell('member.invited', { email: 'ada@example.com', role: 'editor' })).toBe(
    'Marta invited ada@example.com as editor',
  );
  expect(tell('approval.approved', { action: 'posts.publishNow' }, 'Claude')).toBe(
    'Marta approved: publish a post now (asked by Claude)',
  );
  expect(tell('workspace.changed', { statisticsTools: false })).toBe('Marta switched the statistics tools off');
  expect(tell('workspace.changed', { twoFactors: false })).toBe('Marta no longer asks members for two factors');
  expect(tell('workspace.changed', { approvalPasskey: false })).toBe('Marta let people approve without a passkey');
  expect(tell('backup.made', { path: '/backups/one.tar' })).toBe('A backup was made: /backups/one.tar');
  expect(tell('something.new', {})).toBe('Marta something new');
});
