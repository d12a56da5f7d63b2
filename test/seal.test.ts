import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { readConfig } from '#server/config';
import { html } from '#server/pages/html';
import { createSeal } from '#server/secrets/seal';

const key = (id: string) => `${id}:${randomBytes(32).toString('base64')}`;

describe('what is stored sealed', () => {
  const [old, fresh] = [key('k1'), key('k2')];
  const place = 'accounts:acct_1:token';

  test('is opened in its place, also with newer keys before its own', () => {
    const sealed = createSeal([old]).seal('grüße', place);
    expect(createSeal([fresh, old]).open(sealed, place)).toBe('grüße');
    expect(createSeal([fresh, old]).seal('x', place)).toMatch(/^v1\.k2\./);
  });

  test('tells the same text differently each time', () => {
    const seal = createSeal([old]);
    expect(seal.seal('x', place)).not.toBe(seal.seal('x', place));
  });

  test('is not opened in another place, with another key, changed or cut', () => {
    const seal = createSeal([old]);
    const sealed = seal.seal('a secret', place);
    expect(() => seal.open(sealed, 'accounts:acct_2:token')).toThrow();
    expect(() => createSeal([fresh]).open(sealed, place)).toThrow('sealed with the key "k1"');
    expect(() => createSeal([key('k1')]).open(sealed, place)).toThrow('another key named "k1"');
    expect(() =>
      seal.open(`${sealed.slice(0, 12)}${sealed[12] === 'A' ? 'B' : 'A'}${sealed.slice(13)}`, place),
    ).toThrow();
    expect(() => seal.open(sealed.slice(0, -16), place)).toThrow();
    expect(() => seal.open('v1.k1.', place)).toThrow();
    expect(() => seal.open('v2.k1.AAAA', place)).toThrow();
  });

  test('takes its keys from ENCRYPTION_KEYS, and a wrong one is not repeated', () => {
    expect(readConfig({ ENCRYPTION_KEYS: `${fresh}, ${old}` }).encryptionKeys).toEqual([fresh, old]);
    expect(() => readConfig({ ENCRYPTION_KEYS: 'k1:hunter2' })).toThrow(/^ENCRYPTION_KEYS\.0 must be <key id>/);
    expect(() => readConfig({ ENCRYPTION_KEYS: 'k1:hunter2' })).not.toThrow('hunter2');
  });
});

describe('a page', () => {
  test('shows values as text, and only its own parts as HTML', () => {
    const inner = html`<b>${'<i>'}</b>`;
    expect(String(html`<p title="${`"'`}">${inner}${['&', inner]}${false}${undefined}${0}</p>`)).toBe(
      '<p title="&quot;&#39;"><b>&lt;i&gt;</b>&amp;<b>&lt;i&gt;</b>0</p>',
    );
  });
});
