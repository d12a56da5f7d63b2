import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { mustBeNext, notesOf, numberApiChanges } from '#scripts/release-notes';
import { startService } from '#test/support/service';

test('the notes of a release are its section of CHANGES.md, and a release without one is refused', () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  expect(notesOf(readFileSync('CHANGES.md', 'utf8'), version)).toContain('### Upgrade');
  const changes = '# Changes\n\n## 0.2.0\n\nTwo.\n\n### More\n\nAnd more.\n\n## 0.1.0\n\nOne.\n\n## 0.0.1\n\n';
  expect(notesOf(changes, '0.2.0')).toBe('Two.\n\n### More\n\nAnd more.\n');
  expect(notesOf(changes, '0.1.0')).toBe('One.\n');
  expect(() => notesOf(changes, '0.3.0')).toThrow('CHANGES.md has no section "## 0.3.0".');
  expect(() => notesOf(changes, '0.0.1')).toThrow('is empty');
});

test('a release has a version that is not before the one in package.json', () => {
  expect(mustBeNext('0.2.0', '0.1.9')).toBe('0.2.0');
  expect(mustBeNext('0.10.0', '0.9.0')).toBe('0.10.0');
  expect(mustBeNext('1.0.0', '1.0.0-rc.1')).toBe('1.0.0');
  expect(mustBeNext('0.1.0', '0.1.0')).toBe('0.1.0');
  for (const wrong of [undefined, 'v1.0.0', '1.0', ''])
    expect(() => mustBeNext(wrong, '0.1.0')).toThrow('Give the version');
  expect(() => mustBeNext('0.9.0', '0.10.0')).toThrow('0.9.0 is before 0.10.0');
});

test('changes of the API that were not released get the number of the release', () => {
  expect(numberApiChanges('# Changes\n\n## Unreleased\n\n- New.\n', '0.2.0')).toBe('# Changes\n\n## 0.2.0\n\n- New.\n');
});

test('security.txt names whom SECURITY_CONTACT says, until a day within the year; without it there is none', async () => {
  const service = await startService({ SECURITY_CONTACT: 'mailto:security@example.com' });
  try {
    const answer = await fetch(`${service.url}/.well-known/security.txt`);
    const text = await answer.text();
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
    expect(text).toContain('Contact: mailto:security@example.com\n');
    const expires = Date.parse(/^Expires: (.+)$/m.exec(text)?.[1] ?? '');
    expect(expires).toBeGreaterThan(Date.now());
    expect(expires).toBeLessThan(Date.now() + 365 * 24 * 3_600_000);
  } finally {
    await service.stop();
  }
  const plain = await startService({});
  try {
    const answer = await fetch(`${plain.url}/.well-known/security.txt`, { headers: { accept: 'text/html' } });
    expect([answer.status, (await answer.json()).code]).toEqual([404, 'NotFound']);
  } finally {
    await plain.stop();
  }
});
