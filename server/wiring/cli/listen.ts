import { SettingError } from '#server/base/config/config';
import type { ForwardedEvent } from '#server/messaging/webhooks/forwarding';
import { type Command, need } from './command.ts';

/** Forwards the events of a workspace to a local program, signed as deliveries are, until a signal ends it. */
export const listen: Command = async (config, options) => {
  const [workspaceId, url] = need(options, 'workspace', 'forward');
  mustBeUrl(url);
  const { openCore } = await import('#server/wiring/open-core');
  const { openForwarding } = await import('#server/messaging/webhooks/forwarding');
  const { core, close } = await openCore(config);
  const end = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => end.abort());
  // The program that read our output has exited.
  process.stdout.on('error', () => end.abort());
  try {
    await core.people.userAdministration.ownerOf(workspaceId);
    const { secret, follow } = openForwarding(core);
    console.log(`Forwarding the events of ${workspaceId} to ${url}. Ctrl-C ends it.`);
    console.log(`Signing secret of this run: ${secret}`);
    for await (const forwarded of follow(workspaceId, url, end.signal)) {
      if (!end.signal.aborted) print(forwarded, options.json !== undefined);
    }
  } finally {
    await close();
  }
};

const mustBeUrl = (url: string) => {
  if (!/^https?:\/\//.test(url) || !URL.canParse(url)) {
    throw new SettingError(`--forward must be an address such as http://localhost:4000/hook, not ${url}.`);
  }
};

const print = ({ event, answer, tookMs }: ForwardedEvent, asJson: boolean) => {
  const { id, type, createdAt, workspaceId, data } = event;
  if (asJson) {
    const line = { event: { id, type, createdAt, workspaceId, data: data.value }, answer, tookMs };
    return console.log(JSON.stringify(line));
  }
  console.log(`${createdAt} ${type} ${id}: ${answer} after ${tookMs} ms`);
  console.log(JSON.stringify(data.value, null, 2).replace(/^/gm, '  '));
};
