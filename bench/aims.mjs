// The target for each metric. A measure.mjs returns `{ text, values }`; `of` names one of the values or computes one.
const most = (values, pattern) =>
  Math.max(
    ...Object.entries(values)
      .filter(([name]) => pattern.test(name))
      .map(([, value]) => value),
  );

/** The peers are multiples of Posthorn. */
const fastestPeer = (action) => (values) => most(values, new RegExp(`^(?!Posthorn).+, ${action.replace('.', '\\.')}`));

/** 0.6 s of CPU where a bare start of Node 20 takes 0.11 s. */
const mostStarts = 5.5;
const commands = [
  'help',
  'token list',
  'user list',
  'jobs',
  'logs',
  'plan show',
  'setup',
  'link',
  'clock',
  'doctor',
].map((name) => ({ figure: 'run', what: `CPU of posthorn ${name}, to node -e 0`, most: mostStarts, of: name }));

export const aims = [
  { figure: 'rest', what: 'posts.get, to bare node:http', least: 1, of: 'Posthorn, posts.get' },
  { figure: 'rest', what: 'posts.create, to bare node:http', least: 1, of: 'Posthorn, posts.create' },
  { figure: 'rest', what: 'posts.list, to bare node:http', least: 1.5, of: 'Posthorn, posts.list, 50 posts' },
  ...['posts.get', 'posts.list', 'posts.create'].map((action) => ({
    figure: 'peers',
    what: `${action}, the fastest peer to Posthorn`,
    below: 1,
    of: fastestPeer(action),
  })),
  ...['2026-07-28', '2025-11-25'].map((version) => ({
    figure: 'mcp',
    what: `tools/call ${version}, to the SDK's Server`,
    least: 3,
    of: `Posthorn : MCP SDK 2, Server, tools/call ${version}`,
  })),
  { figure: 'publish', what: 'a send, CPU', most: 1, unit: 'ms', of: (values) => most(values, /^CPU a send/) },
  { figure: 'publish', what: 'lateness, p99', below: 1000, unit: 'ms', of: (values) => most(values, /^p99/) },
  ...['p99', 'CPU'].map((what) => ({
    figure: 'publish',
    what: `${what === 'p99' ? 'lateness, p99' : 'a send, CPU'}, with the most scheduled to the fewest`,
    most: 1.2,
    of: (values) => most(values, new RegExp(`^growth of ${what}`)),
  })),
  { figure: 'webhooks', what: 'deliveries per CPU second, to the bare loop', least: 0.6, of: 'Posthorn, signed' },
  {
    figure: 'analytics',
    what: 'analytics.summary of chosen accounts, to the leanest SQL',
    most: 1.5,
    of: (values) => most(values, /^chosen accounts/),
  },
  {
    figure: 'forecast',
    what: 'one changed post among the most scheduled, CPU',
    most: 20,
    unit: 'ms',
    of: (values) => values[Object.keys(values).findLast((name) => name.startsWith('one post'))],
  },
  { figure: 'forecast', what: 'all posts judged again', most: 900, unit: 's', of: (values) => most(values, /^check/) },
  {
    figure: 'forecast',
    what: 'the slowest request beside it',
    most: 50,
    unit: 'ms',
    of: (values) => most(values, /^slowest/),
  },
  ...commands,
  { figure: 'run', what: 'CPU of posthorn call, to node -e 0', below: 1.8, of: 'call' },
  { figure: 'run', what: 'idle memory, service and PostgreSQL', below: 200, unit: 'MB', of: 'idle memory' },
  { figure: 'run', what: 'idle CPU, service and PostgreSQL', below: 1, unit: '% of a core', of: 'idle CPU' },
  { figure: 'web', what: 'first load, packed with gzip', most: 220, unit: 'kB', of: 'first load' },
  { figure: 'web', what: 'layout shift on a slow device, worst page', below: 0.01, of: 'slow shift' },
];

export const aimOf = ({ least, most: atMost, below, unit }) => {
  const [sign, bound] = least !== undefined ? ['≥', least] : atMost !== undefined ? ['≤', atMost] : ['<', below];
  return `${sign} ${bound}${unit ? ` ${unit}` : ''}`;
};

export const measuredFor = ({ of }, values) => {
  const value = typeof of === 'function' ? of(values) : values[of];
  return Number.isFinite(value) ? value : undefined;
};

export const isMet = ({ least = Number.NEGATIVE_INFINITY, most: atMost = Number.POSITIVE_INFINITY, below }, value) =>
  value >= least && value <= atMost && (below === undefined || value < below);
