import { createPublicKey, verify } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Receipt, SignedEntry } from '#contracts/receipts';
import { verifyReceipts } from '#server/cli/verify';
import { readConfig } from '#server/config/config';
import { createReceiptStore } from '#server/receipts/store';
import { sql } from '#server/store/database';
import { urlOf } from '#test/support/database';
import { type Service, startService } from '#test/support/service';
import { newTeam, type Team } from '#test/support/teams';
import { until } from '#test/support/until';

let service: Service;
let folder: string;
beforeAll(async () => {
  service = await startService({ SIGN_INS_PER_HOUR: '1000' });
  await service.startJobs();
  folder = await mkdtemp(join(tmpdir(), 'posthorn-receipts-'));
});
afterAll(async () => {
  await service?.stop();
  await rm(folder, { recursive: true, force: true });
});
afterEach(() => vi.restoreAllMocks());

/** A workspace whose log is empty, with an account on which publishing fails. */
const openTeam = async () => {
  const team = await newTeam(service);
  return withAgent({ ...team, account: await service.addAccount('x', team.workspaceId) });
};

/** The workspace of the first owner, with an account on a sandbox network. */
const openOwnTeam = async () => {
  const browser = service.browser();
  await browser.signIn();
  return withAgent({ ...service.owner, browser: () => browser, account: await service.connect('x') });
};

/** What an agent asks for there, and a person decides. */
const withAgent = ({
  workspaceId,
  userId,
  browser,
  account,
}: Pick<Team, 'workspaceId' | 'userId' | 'browser'> & { account: string }) => {
  const as = { userId, workspaceId };
  const ask = async (action: string, input: Record<string, unknown>) => {
    const caller = { ...as, role: 'owner' as const, human: false };
    return (await service.posthorn.cards.request({ caller, client: 'Claude', action, input, requestId: 'r' })).cardId;
  };
  const draft = async (body = 'Hello') =>
    (await service.asHuman('posts.create', { body, accountIds: [account] }, as)).id as string;
  const decide = async (cardId: string, verb: 'approve' | 'reject') =>
    expect((await browser().post(`/api/approvals/${cardId}/${verb}`)).status).toBe(200);
  const receiptOf = async (cardId: string): Promise<Receipt> =>
    (await browser().get(`/api/approvals/${cardId}/receipt`)).body;
  const publish = async (body?: string) => {
    const postId = await draft(body);
    const cardId = await ask('posts.publishNow', { id: postId });
    await decide(cardId, 'approve');
    await until('publishing ended', async () => (await receiptOf(cardId)).entries.length === 2);
    return { postId, cardId };
  };
  const reject = async () => {
    const cardId = await ask('posts.publishNow', { id: await draft() });
    await decide(cardId, 'reject');
    return cardId;
  };
  const log = async () => (await browser().get('/api/app/receipts')).body as Receipt;
  return { workspaceId, userId, account, as, browser, ask, draft, decide, receiptOf, publish, reject, log };
};

let files = 0;
const save = async (content: unknown) => {
  const path = join(folder, `${++files}.json`);
  await writeFile(path, JSON.stringify(content));
  return path;
};

/** What `posthorn verify` prints, or the sentence with which it fails. */
const runVerify = async (options: Record<string, string>, ...rest: string[]) => {
  const lines: string[] = [];
  vi.spyOn(console, 'log').mockImplementation((line) => void lines.push(line));
  const config = readConfig({ POSTHORN_DATA: service.config.dataDir, DATABASE_URL: urlOf(service.parts) });
  try {
    await verifyReceipts(config, options, rest);
    return lines.join('\n');
  } catch (error) {
    return (error as Error).message;
  }
};
const execute = (text: string, values: unknown[]) =>
  service.database.run(sql(`test.${text.slice(0, 50)}`, text), values);

describe('a decision', () => {
  test('writes a receipt: who, when, by what means, for which client, for which content', async () => {
    const team = await openTeam();
    const cardId = await team.ask('posts.schedule', { id: await team.draft(), at: '2126-01-01T12:00:00Z' });
    expect((await team.browser().get(`/api/approvals/${cardId}/receipt`)).status).toBe(404);
    await team.decide(cardId, 'approve');
    const { entries, keys } = await team.receiptOf(cardId);
    expect(entries.map(({ entry }) => entry)).toEqual([
      {
        version: 1,
        kind: 'Decision',
        workspaceId: team.workspaceId,
        number: 1,
        previous: '0'.repeat(64),
        at: expect.stringMatching(/^20/),
        cardId,
        action: 'posts.schedule',
        decision: 'Approved',
        personId: team.userId,
        means: ['password'],
        requestedBy: team.userId,
        client: 'Claude',
        input: expect.stringMatching(/^[0-9a-f]{64}$/),
        content: expect.stringMatching(/^[0-9a-f]{64}$/),
        postId: expect.stringMatching(/^post_/),
        post: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
    ]);
    expect(keys).toEqual((await service.request('GET', '/.well-known/posthorn-receipt-keys.json')).body.keys);
  });

  test('that rejects writes one too, and an outdated or expired card writes none', async () => {
    const team = await openTeam();
    const rejected = await team.reject();
    const id = await team.draft();
    const outdated = await team.ask('posts.publishNow', { id });
    await service.asHuman('posts.setVersionText', { id, body: 'Changed' }, team.as);
    expect((await team.browser().post(`/api/approvals/${outdated}/approve`)).status).toBe(409);
    expect((await team.log()).entries.map(({ entry }) => [entry.cardId, entry.decision])).toEqual([
      [rejected, 'Rejected'],
    ]);
  });

  test('is followed by an entry when publishing ends, which shows that what went out is what was approved', async () => {
    const team = await openOwnTeam();
    const { cardId, postId } = await team.publish();
    const [decision, outcome] = (await team.receiptOf(cardId)).entries.map(({ entry }) => entry);
    expect(outcome).toMatchObject({
      kind: 'Outcome',
      number: (decision?.number ?? 0) + 1,
      approvedBy: decision?.number,
      postId,
      status: 'Published',
      results: [{ accountId: team.account, ok: true, uncertain: false, externalId: expect.any(String) }],
    });
    expect(outcome?.post).toBe(decision?.post);
  });

  test('shows when a person changed the post after it was approved', async () => {
    const team = await openTeam();
    const id = await team.draft();
    const cardId = await team.ask('posts.schedule', { id, at: '2126-01-01T12:00:00Z' });
    await team.decide(cardId, 'approve');
    const versions = [{ content: [{ body: 'Not what was approved' }] }];
    await service.asHuman('posts.update', { id, accountIds: [team.account], versions, unschedule: true }, team.as);
    await service.asHuman('posts.publishNow', { id }, team.as);
    await until('publishing ended', async () => (await team.receiptOf(cardId)).entries.length === 2);
    const [decision, outcome] = (await team.receiptOf(cardId)).entries.map(({ entry }) => entry);
    expect(outcome?.post).not.toBe(decision?.post);
  });

  test('and its receipt are one transaction: without the receipt nothing was decided', async () => {
    const team = await openTeam();
    const id = await team.draft();
    const cardId = await team.ask('posts.publishNow', { id });
    await execute(
      "alter table receipts add constraint test_no check (card_id is distinct from 'x' and false) not valid",
      [],
    );
    try {
      expect((await team.browser().post(`/api/approvals/${cardId}/approve`)).status).toBe(500);
    } finally {
      await execute('alter table receipts drop constraint test_no', []);
    }
    expect((await team.browser().get(`/api/approvals/${cardId}`)).body.status).toBe('Open');
    expect(await service.asHuman('posts.get', { id }, team.as)).toMatchObject({ status: 'Draft' });
    expect((await team.log()).entries).toEqual([]);
  });

  test('of many people at once makes one chain without gaps', async () => {
    const team = await openTeam();
    const cards = await Promise.all(
      Array.from({ length: 8 }, async () => team.ask('posts.publishNow', { id: await team.draft() })),
    );
    await Promise.all(cards.map((card) => team.decide(card, 'reject')));
    expect((await team.log()).entries.map(({ entry }) => entry.number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(await runVerify({ chain: '', workspace: team.workspaceId })).toContain('All 8 entries');
  });

  test('keeps its receipt when the card is removed', async () => {
    const team = await openTeam();
    const cardId = await team.reject();
    await execute('delete from approval_cards where workspace_id = $1 and id = $2', [team.workspaceId, cardId]);
    expect((await team.receiptOf(cardId)).entries).toHaveLength(1);
  });

  test('is nobody else’s: another workspace finds neither receipt nor log', async () => {
    const [ours, theirs] = [await openTeam(), await openTeam()];
    const cardId = await ours.reject();
    expect((await theirs.browser().get(`/api/approvals/${cardId}/receipt`)).status).toBe(404);
    expect((await theirs.log()).entries).toEqual([]);
  });
});

describe('posthorn verify', () => {
  /** Every value of an entry once with one character changed. */
  const alterations = ({ entry }: SignedEntry) =>
    Object.entries(entry).flatMap(([name, value]) => {
      if (typeof value === 'string')
        return [{ ...entry, [name]: `${value.slice(0, -1)}${value.endsWith('0') ? '1' : '0'}` }];
      return typeof value === 'number' ? [{ ...entry, [name]: value + 1 }] : [{ ...entry, [name]: ['link'] }];
    });

  test('says what a receipt proves, with the stored key', async () => {
    const team = await openOwnTeam();
    const { cardId } = await team.publish();
    const receipt = await save(await team.receiptOf(cardId));
    const key = await save((await service.request('GET', '/.well-known/posthorn-receipt-keys.json')).body);
    const text = await runVerify({ key }, receipt);
    expect(text).toContain(`${team.userId} approved posts.publishNow for Claude (${cardId}), signed in by password`);
    expect(text).toContain('ended as Published');
    expect(text).toContain(`Valid: signed with a key of ${key}.`);
    expect(await runVerify({}, receipt)).toContain('whoever forges a receipt can add a key of their own');
  });

  test('finds a receipt that was altered in one byte, whichever it is', async () => {
    const team = await openTeam();
    const receipt = await team.receiptOf(await team.reject());
    const [signed] = receipt.entries as [SignedEntry];
    const altered = alterations(signed);
    expect(altered.length).toBe(Object.keys(signed.entry).length);
    for (const entry of altered) {
      const path = await save({ ...receipt, entries: [{ ...signed, entry }] });
      expect(await runVerify({}, path)).toMatch(/^Not valid\. /);
    }
    const text = await runVerify(
      {},
      await save({ ...receipt, entries: [{ ...signed, entry: { ...signed.entry, client: 'Claudf' } }] }),
    );
    expect(text).toBe('Not valid. Entry 1 was changed: its signature does not match what it says.');
  });

  test('refuses a receipt that brings a key of its own', async () => {
    const team = await openTeam();
    const receipt = await save(await team.receiptOf(await team.reject()));
    const key = await save({ keys: [{ id: 'x', publicKey: Buffer.alloc(32, 1).toString('base64url') }] });
    expect(await runVerify({ key }, receipt)).toMatch(
      /^Not valid\. Entry 1 is signed with the key \w{32}, which is not/,
    );
  });

  test('names the row that was deleted from the log, or changed in it', async () => {
    const team = await openTeam();
    for (let count = 0; count < 4; count++) await team.reject();
    const check = () => runVerify({ chain: '', workspace: team.workspaceId });
    expect(await check()).toContain('All 4 entries');
    const change = 'update receipts set body = replace(body, $3, $4) where workspace_id = $1 and number = $2';
    await execute(change, [team.workspaceId, 3, 'Rejected', 'Approved']);
    expect(await check()).toBe('Not valid. Entry 3 was changed: its signature does not match what it says.');
    await execute('delete from receipts where workspace_id = $1 and number = $2', [team.workspaceId, 2]);
    expect(await check()).toBe('Not valid. Entry 2 is missing.');
  });

  test('checks a log that was downloaded, offline', async () => {
    const team = await openTeam();
    for (let count = 0; count < 3; count++) await team.reject();
    const log = await team.log();
    expect(await runVerify({ chain: '' }, await save(log))).toContain('All 3 entries');
    const [first, , third] = log.entries;
    expect(await runVerify({ chain: '' }, await save({ ...log, entries: [first, third] }))).toBe(
      'Not valid. Entry 2 is missing.',
    );
    expect(await runVerify({ chain: '' }, await save({ ...log, entries: log.entries.toReversed() }))).toBe(
      'Not valid. Entries 1 to 2 are missing.',
    );
  });

  test('with an earlier receipt finds that the end of the log was cut', async () => {
    const team = await openTeam();
    const cards = [await team.reject(), await team.reject(), await team.reject()];
    const head = await save(await team.receiptOf(cards[2] ?? ''));
    const check = () => runVerify({ chain: '', workspace: team.workspaceId, head });
    expect(await check()).toContain('Nothing that the earlier receipt shows is missing.');
    await execute('delete from receipts where workspace_id = $1 and number = $2', [team.workspaceId, 3]);
    expect(await runVerify({ chain: '', workspace: team.workspaceId })).toContain('All 2 entries');
    expect(await check()).toBe(
      'Not valid. The log ends with entry 2, but the earlier receipt has entry 3: the end was cut.',
    );
    await team.reject();
    expect(await check()).toBe('Not valid. Entry 3 is another one than in the earlier receipt.');
  });

  test('refuses what is no receipt, and says so', async () => {
    expect(await runVerify({}, await save({ surprise: 1 }))).toContain('does not have receipts in the form');
    expect(await runVerify({}, join(folder, 'none.json'))).toContain('cannot be read (ENOENT)');
    expect(await runVerify({})).toContain('Name a receipt');
  });
});

test('anybody can check a signature with the tools of their own: Ed25519 over canonical JSON', async () => {
  const team = await openTeam();
  const { entries, keys } = await team.receiptOf(await team.reject());
  const [{ entry, signature }] = entries as [SignedEntry];
  const flat = JSON.stringify(Object.fromEntries(Object.entries(entry).sort(([a], [b]) => (a < b ? -1 : 1))));
  const key = createPublicKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', x: keys[0]?.publicKey ?? '' } });
  expect(verify(null, Buffer.from(flat), key, Buffer.from(signature, 'base64url'))).toBe(true);
});

test('when the encryption key is lost, the next receipt has a new key, and the chain goes on', async () => {
  const team = await openTeam();
  await team.reject();
  const [before] = (await team.log()).keys.slice(-1);
  await createReceiptStore(service.database).retireKey(before?.id ?? '');
  await team.reject();
  const { entries, keys } = await team.log();
  expect(new Set(entries.map(({ keyId }) => keyId)).size).toBe(2);
  expect(keys.map(({ id }) => id)).toEqual(expect.arrayContaining(entries.map(({ keyId }) => keyId)));
  expect(await runVerify({ chain: '', workspace: team.workspaceId })).toContain('All 2 entries');
});
