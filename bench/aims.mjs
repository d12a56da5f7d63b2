// What each figure is held to. A measure.mjs answers `{ text, values }`; `of` names one of its values, or makes one of them.
const most = (values, pattern) =>
  Math.max(
    ...Object.entries(values)
      .filter(([name]) => pattern.test(name))
      .map(([, value]) => value),
  );

/** The peers are multiples of Posthorn. */
const fastestPeer = (action) => (values) => most(values, new RegExp(`^(?!Posthorn).+, ${action.replace('.', '\\.')}`));

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
].map((name) => ({ figure: 'run', what: `posthorn ${name}, CPU`, most: 0.6, unit: 's', of: name }));

export const aims = [
  { figure: 'rest', what: 'posts.get, to bare node:http', least: 0.8, of: 'Posthorn, posts.get' },
  { figure: 'rest', what: 'posts.create, to bare node:http', least: 0.8, of: 'Posthorn, posts.create' },
  { figure: 'rest', what: 'posts.list, to bare node:http', least: 1, of: 'Posthorn, posts.list, 50 posts' },
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
  { figure: 'webhooks', what: 'deliveries per CPU second, to the bare loop', least: 0.6, of: 'Posthorn, signed' },
  {
    figure: 'analytics',
    what: 'analytics.summary of chosen accounts, to the leanest SQL',
    most: 1.5,
    of: (values) => most(values, /^chosen accounts/),
  },
  ...commands,
  { figure: 'run', what: 'posthorn call, CPU', below: 0.2, unit: 's', of: 'call' },
  { figure: 'run', what: 'idle memory, service and PostgreSQL', below: 200, unit: 'MB', of: 'idle memory' },
  { figure: 'run', what: 'idle CPU, service and PostgreSQL', below: 1, unit: '% of a core', of: 'idle CPU' },
  { figure: 'web', what: 'first load, packed with gzip', most: 220, unit: 'kB', of: 'first load' },
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
