import { createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Receipt, ReceiptEntry, SignedEntry } from '#contracts/receipts';
import { canonicalJson } from '#server/access/receipts/canonical-json';
import { createReceiptStore } from '#server/access/receipts/store';
import { firstPrevious, hashOf, keyIdOf } from '#server/access/receipts/verify-receipts';
import { readConfig } from '#server/base/config/config';
import { sql } from '#server/base/store/database';
import { verifyReceipts } from '#server/wiring/cli/verify';
import { urlOf } from '#test/support/database';
import { lockAwaited } from '#test/support/locks';
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

/** An agent's requests in that workspace, and a person's decisions. */
const withAgent = ({
  workspaceId,
  userId,
  browser,
  account,
}: Pick<Team, 'workspaceId' | 'userId' | 'browser'> & { account: string }) => {
  const as = { userId, workspaceId };
  const ask = async (action: string, input: Record<string, unknown>, client = 'Claude') => {
    const caller = { ...as, role: 'owner' as const, mayPublish: false, isPerson: false };
    return (await service.posthorn.cards.request({ caller, client, action, input, requestId: 'r' })).cardId;
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

  test('is followed by that entry also when no account is left to send to, so that the post is out at once', async () => {
    const team = await openOwnTeam();
    const other = await service.connect('mastodon');
    const versions = [
      { content: [{ body: 'Hello' }] },
      { accountId: other, content: [{ body: 'Hello [sandbox:content-refused]' }] },
    ];
    const { id } = await service.asHuman('posts.create', { accountIds: [team.account, other], versions }, team.as);
    await service.asHuman('posts.publishNow', { id }, team.as);
    const read = () => service.asHuman('posts.get', { id }, team.as);
    await until('one of two accounts has it', async () => (await read()).status === 'Failed');
    await service.asHuman('posts.update', { id, accountIds: [team.account], versions: [versions[0]] }, team.as);
    const cardId = await team.ask('posts.publishNow', { id });
    await team.decide(cardId, 'approve');
    expect((await read()).status).toBe('Published');
    expect((await team.receiptOf(cardId)).entries.map(({ entry }) => [entry.kind, entry.status])).toEqual([
      ['Decision', undefined],
      ['Outcome', 'Published'],
    ]);
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
    expect(outcome?.status).toBe('Failed');
  });

  test('that nobody was asked for leaves no receipt: a person publishes with their own click', async () => {
    const team = await openTeam();
    const id = await team.draft();
    await service.asHuman('posts.publishNow', { id }, team.as);
    await until('publishing ended', async () => {
      const { status } = await service.asHuman('posts.get', { id }, team.as);
      return status === 'Failed';
    });
    expect((await team.log()).entries).toEqual([]);
  });

  test('is named by each end of publishing after it, until the next approval of that post', async () => {
    const team = await openTeam();
    const { postId, cardId: first } = await team.publish();
    const ends = async () => (await team.log()).entries.filter(({ entry }) => entry.kind === 'Outcome').length;
    await service.asHuman('posts.publishNow', { id: postId }, team.as);
    await until('publishing ended again', async () => (await ends()) === 2);
    const second = await team.ask('posts.publishNow', { id: postId });
    await team.decide(second, 'approve');
    await until('publishing ended for the third time', async () => (await ends()) === 3);
    const log = (await team.log()).entries.map(({ entry }) => entry);
    expect(log.map(({ kind, approvedBy }) => [kind, approvedBy])).toEqual([
      ['Decision', undefined],
      ['Outcome', 1],
      ['Outcome', 1],
      ['Decision', undefined],
      ['Outcome', 4],
    ]);
    const numbersOf = async (cardId: string) => (await team.receiptOf(cardId)).entries.map(({ entry }) => entry.number);
    expect([await numbersOf(first), await numbersOf(second)]).toEqual([
      [1, 2, 3, 5],
      [4, 5],
    ]);
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

  test('of two people at once makes one chain without gaps', async () => {
    const team = await openTeam();
    const ask = async (client: string) => team.ask('posts.publishNow', { id: await team.draft() }, client);
    // Two clients: decisions about the same client would already wait for each other at its notification.
    const cards = [await ask('Claude'), await ask('Planner')];
    const { database } = service;
    let decisions: Promise<void>[] = [];
    await database.transaction(async () => {
      // Inserts are blocked: without serialization both would now have read the same last entry.
      await database.run(sql('test.lockReceipts', 'lock table receipts in share mode'));
      decisions = database.outside(() => cards.map((card) => team.decide(card, 'reject')));
      await lockAwaited(service, 2);
    });
    await Promise.all(decisions);
    expect((await team.log()).entries.map(({ entry }) => entry.number)).toEqual([1, 2]);
    expect(await runVerify({ chain: '', workspace: team.workspaceId })).toContain('(2 entries)');
  });

  test('of somebody whose account is deleted stays valid, and names them by id alone', async () => {
    const team = await openTeam();
    const [email, password] = ['leaves@example.com', 'correct horse'];
    const { userId } = await service.posthorn.people.addMember(team.workspaceId, { email, password, role: 'admin' });
    const leaver = service.browser();
    await leaver.signIn(email);
    const cardId = await team.ask('posts.publishNow', { id: await team.draft() });
    expect((await leaver.post(`/api/approvals/${cardId}/reject`)).status).toBe(200);
    const gone = await leaver.post('/api/app/profile/delete', { email, password });
    expect(gone).toMatchObject({ status: 200 });
    const { entries } = await team.receiptOf(cardId);
    expect(entries[0]?.entry.personId).toBe(userId);
    expect(JSON.stringify(entries)).not.toContain(email);
    expect(await runVerify({ chain: '', workspace: team.workspaceId })).toContain('(1 entry)');
  });

  test('about posts whose publishing ends together is followed by an entry for each', async () => {
    const team = await openTeam();
    const posts: string[] = [];
    for (const body of ['One', 'Two']) {
      const id = await team.draft(body);
      await team.decide(await team.ask('posts.schedule', { id, at: '2126-01-01T12:00:00Z' }), 'approve');
      posts.push(id);
    }
    const ended = await Promise.all(posts.map((id) => service.asHuman('posts.get', { id }, team.as)));
    await service.database.transaction(() =>
      service.posthorn.receipts.recordOutcomes(ended.map((post) => ({ workspaceId: team.workspaceId, post }))),
    );
    const outcomes = (await team.log()).entries.slice(2).map(({ entry }) => [entry.postId, entry.approvedBy]);
    expect(outcomes).toEqual(posts.map((id, index) => [id, index + 1]));
    expect(await runVerify({ chain: '', workspace: team.workspaceId })).toContain('(4 entries)');
  });

  test('is one of many in a log of several pages', async () => {
    const team = await openTeam();
    const { database, posthorn } = service;
    const decision = {
      action: 'posts.delete',
      decision: 'Rejected' as const,
      requestedBy: team.userId,
      client: 'Claude',
      input: {},
      contentHash: Buffer.alloc(32),
      canPublish: false,
    };
    const caller = { ...team.as, role: 'owner' as const, mayPublish: true, isPerson: true };
    await database.transaction(async () => {
      for (let count = 1; count <= 501; count++) {
        await posthorn.receipts.recordDecision(caller, { ...decision, cardId: `card_${count}` });
      }
    });
    const first = await team.log();
    expect(first).toMatchObject({ isLast: false });
    expect(first.entries).toHaveLength(500);
    const { body: second } = await team.browser().get('/api/app/receipts?after=500');
    expect(second).toMatchObject({ isLast: true, entries: [{ entry: { number: 501 } }] });
    expect(await runVerify({ chain: '', workspace: team.workspaceId })).toContain('(501 entries)');
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
  /** Copies of the entry, each with one value altered by one character. */
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
    expect(text).not.toContain('Not checked');
    expect(await runVerify({}, receipt)).toMatch(
      /^Not checked: who signed it\..+ whoever forges a receipt can add a key of their own\./,
    );
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
    expect(await check()).toContain('(4 entries)');
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
    expect(await runVerify({ chain: '' }, await save(log))).toContain('(3 entries)');
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
    expect(await runVerify({ chain: '', workspace: team.workspaceId })).toContain('(2 entries)');
    expect(await check()).toBe(
      'Not valid. The log ends with entry 2, but the earlier receipt has entry 3: the end was cut.',
    );
    await team.reject();
    expect(await check()).toBe('Not valid. Entry 3 is another one than in the earlier receipt.');
  });

  test('names a row whose text is no JSON any more', async () => {
    const team = await openTeam();
    await team.reject();
    await execute('update receipts set body = $2 where workspace_id = $1', [team.workspaceId, '{']);
    expect(await runVerify({ chain: '', workspace: team.workspaceId })).toBe(
      'Not valid. Entry 1 was changed: its signature does not match what it says.',
    );
  });

  describe('finds in a log that was signed anew', () => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    const { x = '' } = publicKey.export({ format: 'jwk' });
    const signed = (entry: ReceiptEntry): SignedEntry => ({
      entry,
      keyId: keyIdOf(x),
      signature: sign(null, Buffer.from(canonicalJson(entry)), privateKey).toString('base64url'),
    });
    const chainOf = (...changes: Partial<ReceiptEntry>[]) => {
      const entries: SignedEntry[] = [];
      for (const change of changes) {
        const last = entries.at(-1);
        const previous = last ? hashOf(last) : firstPrevious;
        const number = (last?.entry.number ?? 0) + 1;
        const at = '2026-11-17T10:00:00.000000Z';
        entries.push(signed({ version: 1, kind: 'Decision', workspaceId: 'ws_1', number, previous, at, ...change }));
      }
      return entries;
    };
    const check = async (entries: SignedEntry[], options: Record<string, string> = {}) =>
      runVerify({ chain: '', ...options }, await save({ entries, keys: [{ publicKey: x }] }));
    const saveHead = async (entries: SignedEntry[]) => save({ entries, keys: [{ publicKey: x }] });

    test('nothing, when it is whole', async () => {
      expect(await check(chainOf({}, {}, {}))).toContain('(3 entries)');
    });

    test.each<[string, Partial<ReceiptEntry>[], string]>([
      ['a beginning that was cut', [{ previous: 'a'.repeat(64) }, {}], 'Entry 1 names an entry before it'],
      ['an entry that was replaced', [{}, { previous: 'a'.repeat(64) }], 'Entry 2 does not follow entry 1'],
      ['an entry that comes twice', [{}, {}, { number: 2 }], 'Entry 2 stands where entry 3 should be.'],
      ['an entry of another workspace', [{}, { workspaceId: 'ws_2' }], 'Entry 2 is of another workspace, ws_2.'],
    ])('%s', async (_, changes, fault) => {
      expect(await check(chainOf(...changes))).toContain(`Not valid. ${fault}`);
    });

    const confirmation = { challenge: '', nonce: '', numbers: [], passkeyId: 'pky_1' };
    test.each<[string, Partial<ReceiptEntry>]>([
      ['means', { means: ['passkey'] }],
      ['a confirmation', { confirmation }],
    ])('a passkey without its signature, named as %s', async (_, change) => {
      const entries = chainOf({}, change);
      const fault = 'Not valid. Entry 2 names a passkey, but has no signature of one.';
      expect(await check(entries)).toBe(fault);
      expect(await runVerify({}, await saveHead(entries))).toBe(fault);
    });

    test('text that a terminal would obey, which it prints escaped', async () => {
      // Moves the cursor up, clears the line, begins a line, turns the direction, and hides a character.
      const forged = '\u001b[1A\u001b[2KValid: signed with a key of keys.json.\r\n\u2028\u202e\u200b\u0085\u00ad\ud800';
      const given = { personId: forged, action: forged, client: forged, cardId: forged, content: forged };
      const isEscaped = (text: string) => expect(text).toMatch(/^[\P{C}\n]+$/u);
      const printed = await runVerify({}, await saveHead(chainOf({ decision: 'Approved', ...given })));
      expect(printed.split('\n')).toHaveLength(2);
      expect(printed).toContain('\\u{001b}[1A\\u{001b}[2KValid');
      expect(printed).not.toMatch(/^Valid/m);
      const outcome = { kind: 'Outcome', postId: forged, status: 'Published' } as const;
      const faults = [await check(chainOf({}, { workspaceId: forged }))];
      const [first] = chainOf({}) as [SignedEntry];
      faults.push(await check([{ ...first, keyId: forged }]));
      for (const text of [printed, await runVerify({}, await saveHead(chainOf(outcome))), ...faults]) isEscaped(text);
      isEscaped(await check(chainOf({ workspaceId: forged })));
    });

    test('an earlier receipt of another workspace', async () => {
      const head = await saveHead(chainOf({ workspaceId: 'ws_2' }));
      expect(await check(chainOf({}), { head })).toBe('Not valid. The earlier receipt is of another workspace, ws_2.');
    });

    test('an earlier receipt that was changed itself', async () => {
      const [only] = chainOf({});
      const head = await saveHead([{ ...(only as SignedEntry), signature: 'AAAA' }]);
      expect(await check(chainOf({}), { head })).toMatch(/^Not valid\. In the earlier receipt: Entry 1 was changed/);
    });

    test('that it is empty now, though there is an earlier receipt', async () => {
      const team = await openTeam();
      const head = await save(await team.receiptOf(await team.reject()));
      await execute('delete from receipts where workspace_id = $1', [team.workspaceId]);
      expect(await runVerify({ chain: '', workspace: team.workspaceId, head })).toBe(
        'Not valid. The log ends with entry 0, but the earlier receipt has entry 1: the end was cut.',
      );
    });

    test('a field that Posthorn does not write', async () => {
      const [first] = chainOf({}) as [SignedEntry];
      expect(await check([{ ...first, entry: { ...first.entry, note: 'x' } as ReceiptEntry }])).toMatch(
        /^Not valid\. Entry 1 was changed/,
      );
    });
  });

  test('refuses what is no receipt, and says so', async () => {
    expect(await runVerify({}, await save({ surprise: 1 }))).toContain('does not have receipts in the form');
    expect(await runVerify({}, join(folder, 'none.json'))).toContain('cannot be read (ENOENT)');
    expect(await runVerify({})).toContain('Name a receipt');
    expect(await runVerify({ workspace: 'ws_1' })).toContain('Add --chain');
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
  // A key is published before it signs anything.
  const { body } = await service.request('GET', '/.well-known/posthorn-receipt-keys.json');
  expect(body.keys.at(-1).id).not.toBe(before?.id);
  await team.reject();
  const { entries, keys } = await team.log();
  expect(new Set(entries.map(({ keyId }) => keyId)).size).toBe(2);
  expect(keys.map(({ id }) => id)).toEqual(expect.arrayContaining(entries.map(({ keyId }) => keyId)));
  expect(await runVerify({ chain: '', workspace: team.workspaceId })).toContain('(2 entries)');
});
