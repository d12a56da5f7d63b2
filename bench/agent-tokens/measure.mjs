// How many tokens ten typical jobs cost an agent whose client shows the model only `content`: the arguments it writes
// plus the text it reads. With `--before` it does them the way agents had to before posts_list accepted a query,
// posts_create versions and providers_limits networks.
import pg from 'pg';
import { atPlace } from '../place.mjs';
import { table } from '../table.mjs';

const networks = ['bluesky', 'x', 'mastodon', 'youtube'];
const drafts = 160;
/** With the texts of the build before they were shortened: a change that costs tokens shows. */
const tokensBefore = {
  'catalog and instructions, once': 5112,
  'announce on four accounts': 1857,
  'a thread, shorter on Mastodon': 301,
  'a video without media': 1281,
  'broken limits': 662,
  'an option, first with a wrong value': 639,
  'schedule, follow up, and list what waits': 971,
  'a stale edit': 568,
  'why posts failed': 1193,
  'statistics of a month': 758,
  'find one draft among 160': 212,
  'all ten': 8442,
};

export const measure = ({ before = false, blink }) =>
  atPlace({ blink }, async (place) => {
    const token = blink ? await makeSmall(place) : await makeDemo(place);
    await offerStatistics(place);
    const { url } = await place.service('Posthorn');
    return { text: report(await countedBy(createAgent(url, token), { before, blink })), values: {} };
  });

const makeDemo = async (place) => (await place.command('demo')).token;

const makeSmall = async (place) => {
  const { url } = await place.service('Posthorn');
  for (const network of networks) await place.account(url, network);
  return (await place.setUp()).token;
};

/** As if an owner had switched on the statistics tools in the app. */
const offerStatistics = async ({ config }) => {
  const database = new pg.Client(config);
  await database.connect();
  await database.query('update workspaces set statistics_tools = true');
  await database.end();
};

const text = 'Our new rye bread is out of the oven. Come by on Saturday and taste it.';
const thread = ['One: the flour.', 'Two: the water.', 'Three: the time.', 'Four: the oven.'].map((body) => ({ body }));
const tomorrow = () => new Date(Date.now() + 86_400_000).toISOString();

const countedBy = async (agent, { before, blink }) => {
  const { rpc, tool, count } = agent;
  const { accounts } = await tool('accounts_list');
  const on = (network) => accounts.find((account) => account.network === network).id;
  const make = (body) => tool('posts_create', { accountIds: [on('bluesky')], body });
  await make('The needle: what we look for in this haystack of drafts.');
  for (let i = 0; i < (blink ? 5 : drafts); i++) await make(`Draft ${i}. ${text.repeat(1 + (i % 3))}`);
  const { tools } = (await rpc('tools/list')).result;
  const { instructions } = (
    await rpc('initialize', {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'agent-tokens', version: '1' },
    })
  ).result;
  const rows = [
    { name: 'catalog and instructions, once', tokens: tokensIn(JSON.stringify(tools)) + tokensIn(instructions) },
  ];
  count();
  for (const [name, job] of Object.entries(jobsOf({ tool, on, before }))) {
    await job();
    rows.push({ name, ...count() });
  }
  const jobs = rows.slice(1);
  const sum = (of) => jobs.reduce((all, each) => all + of(each), 0);
  return [...rows, { name: 'all ten', calls: sum(({ calls }) => calls), tokens: sum(({ tokens }) => tokens) }];
};

/** `on` returns the account of a network. */
const jobsOf = ({ tool, on, before: isBefore }) => {
  const limitsOf = (networks) => tool('providers_limits', isBefore ? {} : { networks });

  const create = async ({ versions, ...input }) => {
    if (!isBefore) return tool('posts_create', { ...input, versions });
    const { id, updatedAt } = await tool('posts_create', input);
    return tool('posts_update', { id, ...input, versions, baseUpdatedAt: updatedAt });
  };

  const find = async (query) => {
    if (!isBefore) {
      const { summaries } = await tool('posts_list', { query, view: 'summary' });
      return summaries.find(({ text }) => text.includes(query));
    }
    let cursor;
    do {
      const page = await tool('posts_list', { status: 'Draft', ...(cursor && { cursor }) });
      const found = page.posts.find(({ versions }) => versions[0].content[0].body.includes(query));
      if (found) return found;
      cursor = page.nextCursor;
    } while (cursor);
    throw new Error(`no draft with ${query}`);
  };

  return {
    'announce on four accounts': async () => {
      await tool('accounts_list');
      await limitsOf(networks);
      const { id } = await tool('posts_create', { accountIds: networks.map(on), body: text });
      await tool('posts_validate', { id });
    },
    'a thread, shorter on Mastodon': async () => {
      const accountIds = [on('bluesky'), on('mastodon')];
      const short = { accountId: on('mastodon'), content: [{ body: 'All about our bread.' }] };
      const { id } = await create({ accountIds, versions: [{ content: thread }, short] });
      await tool('posts_validate', { id });
    },
    'a video without media': async () => {
      const { id } = await tool('posts_create', { accountIds: [on('youtube')], body: text });
      await tool('posts_validate', { id });
      await tool('media_list');
    },
    'broken limits': async () => {
      const { id } = await tool('posts_create', { accountIds: [on('x'), on('bluesky')], body: text.repeat(6) });
      await tool('posts_validate', { id });
      await tool('posts_setVersionText', { id, body: text });
      await tool('posts_validate', { id });
    },
    'an option, first with a wrong value': async () => {
      const { id } = await tool('posts_create', { accountIds: [on('bluesky')], body: text });
      await limitsOf(['bluesky']);
      await tool('posts_setOption', { id, key: 'bluesky.reply_control', value: 'friends' });
      await tool('posts_setOption', { id, key: 'bluesky.reply_control', value: 'nobody' });
    },
    'schedule, follow up, and list what waits': async () => {
      const { id } = await tool('posts_create', { accountIds: [on('bluesky')], body: text });
      await tool('posts_schedule', { id, at: tomorrow() });
      await tool('posts_get', { id });
      await (isBefore ? tool('posts_get', { id }) : tool('posts_list', { waiting: true, view: 'summary' }));
    },
    'a stale edit': async () => {
      const { id, updatedAt } = await tool('posts_create', { accountIds: [on('bluesky')], body: text });
      await tool('posts_setVersionText', { id, body: `${text} Now with seeds.` });
      const whole = { id, accountIds: [on('bluesky')], versions: [{ content: [{ body: text }] }] };
      await (isBefore
        ? tool('posts_update', { ...whole, baseUpdatedAt: updatedAt })
        : tool('posts_setVersionText', { id, body: text, baseUpdatedAt: updatedAt }));
      await tool('posts_get', { id });
    },
    'why posts failed': async () => {
      const list = await tool('posts_list', { status: 'Failed', ...(!isBefore && { view: 'summary' }) });
      for (const { id } of (isBefore ? list.posts : list.summaries).slice(0, 2)) await tool('posts_get', { id });
    },
    'statistics of a month': async () => {
      const to = new Date();
      const from = new Date(to.getTime() - 30 * 86_400_000);
      await tool('analytics_summary', { from: from.toISOString(), to: to.toISOString() });
    },
    'find one draft among 160': async () => {
      const { id } = await find('needle');
      await tool('posts_get', { id });
    },
  };
};

/** Calls tools as an agent does, and counts the tokens. */
const createAgent = (url, token) => {
  const rpc = async (method, params = {}) => {
    const response = await fetch(`${url}/mcp`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    const answer = await response.json();
    if (!('jsonrpc' in answer)) throw new Error(answer.message);
    return answer;
  };
  let calls = 0;
  let tokens = 0;
  const tool = async (name, args = {}) => {
    const { result, error } = await rpc('tools/call', { name, arguments: args });
    calls += 1;
    tokens += tokensIn(JSON.stringify({ name, arguments: args })) + tokensIn(result?.content[0].text ?? error.message);
    return result?.structuredContent ?? {};
  };
  /** Returns the counts since the last call, and resets them. */
  const count = () => {
    const counted = { calls, tokens };
    [calls, tokens] = [0, 0];
    return counted;
  };
  return { rpc, tool, count };
};

/**
 * A rough estimate for comparisons: a token is about five letters, three digits or two symbols; spaces are free, and a
 * line break is one token. Ids and timestamps, which tokenizers split finely, cost about as much here as there.
 */
const tokensIn = (text) =>
  [...text.matchAll(/\p{L}+|\p{N}+|\n|[^\p{L}\p{N}\s]+/gu)].reduce((sum, [piece]) => {
    const perToken = /\p{L}/u.test(piece) ? 5 : /\p{N}/u.test(piece) ? 3 : 2;
    return sum + Math.ceil(piece.length / perToken);
  }, 0);

const report = (rows) =>
  [
    '## agent-tokens',
    '',
    'Ten jobs over MCP in the workspace of `posthorn demo`: calls, and the tokens that a model writes and reads, by an estimate',
    'that is the same for every text.',
    '',
    table(
      ['job', 'calls', 'tokens before', 'tokens'],
      rows.map(({ name, calls = '', tokens }) => [name, String(calls), String(tokensBefore[name]), String(tokens)]),
    ),
    '',
  ].join('\n');
