import { parseArgs } from 'node:util';

const usage = `posthorn twins [--port 4000] [--host-ports 4001] [--host 127.0.0.1] [--keep 1000]

Serves the sandbox twins of all networks from memory, for tests of your own integration. See docs/twins.md.

  --port        port to listen on; 0 is any free port
  --host-ports  the first of some thirty ports, one for each host of each network, for clients that take no path
                in an address; 0 is any free ports
  --host        the address to listen on; any but a loopback address lets other machines in
  --keep        how many requests, and of each network how many posts, tokens and uploads are kept (10 to 100000);
                the oldest are dropped`;

const text = { type: 'string' } as const;

/** What is wrong with the command line. */
class UsageError extends Error {}

/** Returns 0 when it serves; the open server keeps the process alive. 1: the port is taken. 2: the command line is wrong. */
export const twins = async (args: readonly string[]): Promise<number> => {
  try {
    return await serve(args);
  } catch (error) {
    const { message, code = '' } = error as NodeJS.ErrnoException;
    if (!(error instanceof UsageError) && !code.startsWith('ERR_PARSE_ARGS')) throw error;
    console.error(`${message}\n\n${usage}`);
    return 2;
  }
};

const serve = async (args: readonly string[]): Promise<number> => {
  const { values } = parseArgs({
    args: [...args],
    options: { port: text, host: text, 'host-ports': text, keep: text, help: { type: 'boolean', short: 'h' } },
  });
  if (values.help) {
    console.log(usage);
    return 0;
  }
  const port = numberIn('port', values.port ?? '4000', 0, 65_535);
  const first = values['host-ports'];
  const hostPorts = first === undefined ? undefined : numberIn('host-ports', first, 0, 65_000);
  const keep = numberIn('keep', values.keep ?? '1000', 10, 100_000);
  const host = values.host ?? '127.0.0.1';
  if (host === '') throw new UsageError('--host must be an address of this machine.');
  // Nothing is stored, so there is nothing to finish.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(0));
  // A reader that exits after the first line, such as `head`, must not stop the server.
  process.stdout.on('error', () => undefined);
  const { openTwins } = await import('#server/wiring/open-twins');
  const open = await openTwins({ host, port, hostPorts, keep, handle: 'demo' }).catch(
    (error: NodeJS.ErrnoException) => {
      if (noSuchAddress.includes(error.code ?? ''))
        throw new UsageError(`--host ${host} is no address of this machine.`);
      const problem = portProblem(error, port);
      if (problem === undefined) throw error;
      console.error(problem);
      return undefined;
    },
  );
  if (open === undefined) return 1;
  const { isLoopback } = await import('#server/simulation/twins/media-fetch');
  if (!isLoopback(host)) console.error(warning(host));
  console.log(banner(open));
  return 0;
};

const numberIn = (name: string, value: string, min: number, max: number) => {
  const number = /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN;
  if (number >= min && number <= max) return number;
  throw new UsageError(`--${name} must be a whole number from ${min} to ${max}, not ${JSON.stringify(value)}.`);
};

const noSuchAddress = ['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN', 'EINVAL'];

const portProblem = (error: NodeJS.ErrnoException & { port?: number }, main: number) => {
  const { code, port = main } = error;
  const option = port === main ? 'port' : 'host-ports';
  switch (code) {
    case 'EADDRINUSE':
      return `Port ${port} is in use, perhaps by other twins. Stop that program, or choose another port: npx posthorn twins --${option} ${port === 65_535 ? 0 : port + 1}`;
    case 'EACCES':
      return `You may not listen on port ${port}. Choose one from 1024 on, such as --${option} 4000.`;
    default:
      return undefined;
  }
};

const warning = (host: string) =>
  `Warning: --host ${host} lets other machines in. Whoever reaches this port can read what was posted, use the tokens below, move the clock and reset it all. Use it in a network that you trust.\n`;

type OpenTwins = Awaited<ReturnType<typeof import('#server/wiring/open-twins').openTwins>>;

const banner = ({ url, hostUrls, networks, access, keep }: OpenTwins) => {
  const width = Math.max(...networks.map(({ key }) => key.length)) + 2;
  const lines = access.map(({ network, clientId, clientSecret, accounts: [account] }) =>
    [
      `  ${network.padEnd(width)}${url}/sandbox/${network}`,
      clientId === undefined ? 'any password' : `client ${clientId} ${clientSecret}`,
      `token ${account?.accessToken}`,
    ].join('  '),
  );
  return [
    '',
    `The twins of ${networks.length} networks are ready at ${url}`,
    `  Page        ${url}/`,
    `  Admin API   ${url}/admin`,
    ...(Object.keys(hostUrls).length > 0 ? [`  Ports       of each host: GET ${url}/admin lists them`] : []),
    `  Kept        in memory: ${keep} requests, and ${keep} posts of each network. The oldest are dropped.`,
    '',
    ...lines,
    '',
    'Ctrl-C ends it.',
  ].join('\n');
};
