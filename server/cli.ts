import { existsSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { demo } from '#server/cli/demo';
import { type Config, durationMs, readConfig, SettingError } from '#server/config';
import { Refusal } from '#server/errors';
import { findRunning, runningIn } from '#server/instances';
import type { Opened } from '#server/main';

// What a command needs is imported when it runs: nobody waits for what another command uses.

const help = `posthorn <command>

  start                                  run the service
  setup    --email --password --workspace [--token-name]
                                         make the first owner, a workspace and a token; prints JSON
  demo     [--again]                     make a workspace with a month of posts on the sandbox; not in production
  link     [--email]                     a sign-in link that works once, for the operator or somebody else
  doctor                                 say what is set, what answers and what is missing
  token    create --workspace <id> --name <name> | list --workspace <id> | revoke --id <id>
                                         personal tokens of a workspace's owner
  account  add --workspace <id> --network <key> [--handle]
                                         connect an account on the sandbox of a network
  plan     show --workspace <id> | set --workspace <id> --plan unlimited|free|team|business
                                         what a workspace may do
  jobs                                   what recurs, when it ran, when it will again and what is due, by the service's clock
  clock    --forward <6h>                move the sandbox clock; not in production

Settings are environment variables; docs/settings.md has the table.`;

type Options = Record<string, string | undefined>;

const commands: Record<string, (config: Config, options: Options, words: string[]) => Promise<unknown>> = {
  start: (config) => serve(config),

  setup: (config, options) => {
    const [email, workspace] = need(options, 'email', 'workspace');
    // With AUTH_URL the owner comes from there, by this address.
    const password = config.outsideProvider ? undefined : need(options, 'password')[0];
    return using(config, async ({ posthorn: { people, tokens } }) => {
      if (!(await people.isEmpty())) {
        throw new SettingError(
          'Posthorn is set up already: a user exists. For a sign-in link that works once, run: npx posthorn link',
        );
      }
      const owner = await people.setUp({ email, password, workspace });
      const { id: tokenId, token } = await tokens.create(owner, options['token-name'] ?? 'Setup');
      return { ...owner, tokenId, token };
    });
  },

  demo: (config, { again }) => demo(config, again !== undefined),
  link: (config, { email }) =>
    using(config, async ({ posthorn: { welcome } }) => {
      const { path, email: address } = await welcome.linkFor(email);
      return { email: address, url: config.baseUrl + path };
    }),

  doctor: async (config) => {
    const { diagnose } = await import('#server/doctor');
    const { text, healthy } = await diagnose(config);
    console.log(text);
    process.exitCode = healthy ? 0 : 1;
  },

  'token create': (config, options) => {
    const [workspaceId, name] = need(options, 'workspace', 'name');
    return using(config, async (opened) => opened.posthorn.tokens.create(await ownerOf(opened, workspaceId), name));
  },

  'token list': (config, options) => {
    const [workspaceId] = need(options, 'workspace');
    return using(config, async (opened) => opened.posthorn.tokens.list(await ownerOf(opened, workspaceId)));
  },

  'token revoke': (config, options) => {
    const [id] = need(options, 'id');
    return using(config, async ({ posthorn: { tokens } }) => {
      await tokens.revoke(id);
      return { id, revoked: true };
    });
  },

  'account add': async (config, options) => {
    const [workspaceId, key] = need(options, 'workspace', 'network');
    if (config.production) throw new SettingError('There is no sandbox in production. Connect accounts in the app.');
    const { connectInSandbox, withSandboxServer } = await import('#server/sandbox/sign-up');
    let url = '';
    const add = async (opened: Opened) => {
      const { networks, sandboxes } = opened.posthorn;
      if (networks.find(key) === undefined) {
        throw new SettingError(
          `There is no network ${key}. Choose one of ${networks.all.map((one) => one.key).join(', ')}.`,
        );
      }
      const caller = { ...(await ownerOf(opened, workspaceId)), role: 'owner', human: true } as const;
      const handle = options.handle ?? 'anna';
      return withSandboxServer(sandboxes, async (own) => {
        url = own;
        const here = (address: string) => address.replace(config.baseUrl, own);
        return { id: await connectInSandbox(opened.posthorn, caller, key, { handle, here }), network: key };
      });
    };
    return using(config, add, () => url);
  },

  'plan show': (config, options) => {
    const [workspaceId] = need(options, 'workspace');
    return using(config, ({ posthorn: { plans } }) => plans.read(workspaceId));
  },

  'plan set': (config, options) => {
    const [workspaceId, plan] = need(options, 'workspace', 'plan');
    return using(config, async ({ posthorn: { plans } }) => {
      await plans.set(workspaceId, plan);
      return plans.read(workspaceId);
    });
  },

  jobs: (config) =>
    using(config, async ({ connection, posthorn }) => {
      const { mongodbUrl } = config;
      const { openAgenda } = await import('#server/jobs/agenda');
      const agenda = await openAgenda({ connection, mongodbUrl, name: 'posthorn jobs', report: console.error });
      try {
        return await posthorn.jobs.overview(agenda);
      } finally {
        await agenda.close();
      }
    }),

  clock: (config, options) => {
    const byMs = durationMs(need(options, 'forward')[0]);
    if (byMs === undefined) {
      throw new SettingError('Give --forward as a number with s, m, h or d, such as 6h or 30d.');
    }
    if (config.production) throw new SettingError('The clock cannot be moved in production.');
    return using(config, async ({ posthorn: { sandboxClock, audit } }) => {
      await sandboxClock.forward(byMs);
      await audit.write({ event: 'clock.moved', details: { forwardMs: byMs, by: 'the command line' } });
      return { now: sandboxClock.now().toISOString() };
    });
  },
};

const serve = async (config: Config) => {
  const { start } = await import('#server/main');
  const asked = new AbortController();
  const starting = start(config, { say: console.log, signal: asked.signal });
  // From the first moment on: a stop during the start would else leave the embedded PostgreSQL running.
  stopOnSignals(async () => {
    asked.abort();
    await (await starting.catch(() => undefined))?.stop();
  }, config);
  const running = await starting.catch((error: unknown) => {
    if (asked.signal.aborted) return undefined;
    throw error;
  });
  if (running === undefined) return;
  const { welcome, people } = running.posthorn;
  const link = await welcome.path();
  const code = await welcome.firstOwnerCode();
  console.log(
    [
      '',
      `Posthorn is ready at ${running.url}`,
      `  API reference   ${running.url}/docs`,
      ...(link ? [`  Sign in         ${running.url}${link}   (works once)`] : []),
      ...(code ? [`  First owner     ${running.url}/sign-up   with the code ${code}   (works once)`] : []),
      ...(link && (await people.isEmpty())
        ? ['  First token     npx posthorn setup --email you@example.com --password <password> --workspace "My team"']
        : []),
      '',
    ].join('\n'),
  );
};

const stopOnSignals = (stop: () => Promise<void>, { childOfNpm }: Config) => {
  let asked = false;
  const end = (why: string) => {
    if (asked) process.exit(1);
    asked = true;
    console.log(`${why}: finishing what is under way. Once more to stop at once.`);
    stop().then(
      () => process.exit(0),
      (error: unknown) => {
        console.error(error);
        process.exit(1);
      },
    );
  };
  process.on('SIGINT', () => end('Interrupted'));
  process.on('SIGTERM', () => end('Asked to stop'));
  if (childOfNpm) {
    // `npm start` that is killed with SIGKILL cannot tell us: our ancestors just change.
    const before = ancestors();
    setInterval(() => {
      if (ancestors() !== before && !asked) end('npm is gone');
    }, 500).unref();
  }
};

/** Our parent and, where /proc tells, its parent: some shells stay between npm and us. */
const ancestors = () => {
  const { ppid } = process;
  try {
    return `${ppid} ${
      readFileSync(`/proc/${ppid}/stat`, 'utf8')
        .replace(/^.*\) \S /s, '')
        .split(' ')[0]
    }`;
  } catch {
    return `${ppid}`;
  }
};

/** Runs a command on the database, also while the service runs, and prints its answer as JSON. */
const using = async (config: Config, work: (opened: Opened) => Promise<unknown>, ownUrl?: () => string) => {
  const { createLog, open } = await import('#server/main');
  const opened = await open(config, createLog({ ...config, logLevel: 'warn' }), ownUrl);
  try {
    console.log(JSON.stringify(await work(opened), null, 2));
  } finally {
    await opened.close();
  }
};

const need = <const Names extends string[]>(options: Options, ...names: Names) => {
  const missing = names.filter((name) => !options[name]);
  if (missing.length > 0) throw new SettingError(`Give ${missing.map((name) => `--${name}`).join(', ')}.\n\n${help}`);
  return names.map((name) => options[name]) as { [I in keyof Names]: string };
};

const ownerOf = async ({ posthorn: { people, members } }: Opened, workspaceId: string) => {
  const owner = (await members.list(workspaceId)).find(({ role }) => role === 'owner');
  if (owner === undefined) {
    const known = (await people.workspaces()).map(({ id, name }) => `${id} (${name})`).join(', ');
    throw new SettingError(
      `There is no workspace ${workspaceId}. ${known ? `There are: ${known}.` : 'Run posthorn setup first.'}`,
    );
  }
  return { workspaceId, userId: owner.userId };
};

const text = { type: 'string' } as const;

const main = async () => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      email: text,
      password: text,
      workspace: text,
      'token-name': text,
      network: text,
      name: text,
      handle: text,
      plan: text,
      forward: text,
      id: text,
      again: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  const { help: wantsHelp, again, ...texts } = values;
  const options = { ...texts, ...(again && { again: '' }) };
  const command = commands[positionals.slice(0, 2).join(' ')] ?? commands[positionals[0] ?? ''];
  if (wantsHelp || command === undefined) {
    console.log(help);
    process.exitCode = wantsHelp ? 0 : 2;
    return;
  }
  const config = readConfig();
  await command(positionals[0] === 'start' ? config : meant(config), options, positionals);
};

/** In a second terminal, without the settings of the first, the running instance is meant and not a folder that is not there. */
const meant = (config: Config): Config => {
  if (config.databaseUrl !== undefined || config.dataDirGiven || runningIn(config.dataDir).length > 0) return config;
  const all = findRunning();
  const [only, ...others] = all;
  if (only === undefined) return config;
  const known = all.map(({ url, dataDir }) => `${url} with POSTHORN_DATA=${dataDir}`).join(', ');
  if (existsSync(config.dataDir)) {
    console.error(`Using ${config.dataDir}, which no running Posthorn uses. There runs: ${known}.`);
    return config;
  }
  if (others.length > 0 || !only.embedded) {
    throw new SettingError(
      `Give this command the settings of the Posthorn that you mean${only.embedded ? '' : ', DATABASE_URL too'}. There runs: ${known}.`,
    );
  }
  console.error(`Using ${only.dataDir}, the data folder of the Posthorn at ${only.url}.`);
  return { ...config, dataDir: only.dataDir, baseUrl: config.baseUrlGiven ? config.baseUrl : only.url };
};

main().catch((error: Error & { code?: string }) => {
  const expected =
    error instanceof SettingError || error instanceof Refusal || error.code?.startsWith('ERR_PARSE_ARGS');
  console.error(expected ? error.message : error);
  process.exit(1);
});
