import type { Command, Field } from './command.ts';

const kinds = { ReadOnly: '', Write: '', NeedsApproval: ' (a human does it in the app)' } as const;

export const overview = (commands: readonly Command[]) => `posthorn call <action> [--field value …]

Runs an action on a server and prints its answer as JSON. Errors go to standard error as JSON; the exit code is 1 when the
server refused, 2 when the command line is wrong, 3 when no answer came.

${commands.map(({ name, summary, kind }) => `  ${name.padEnd(22)} ${summary}${kinds[kind]}`).join('\n')}
  ${'media.upload'.padEnd(22)} Add a file to the media library
  ${'whoami'.padEnd(22)} Whom the token stands for

${shared}

posthorn call <action> --help shows the fields of an action.`;

const shared = `  --input <json>         all fields as JSON; @file reads a file, - standard input. Fields beside it win
  --profile <name>       server and token stored by \`posthorn profile set\` (default: POSTHORN_PROFILE, else "default")
  --url, --token         both instead of a profile; POSTHORN_URL and POSTHORN_TOKEN do the same. --token - reads standard input
  --idempotency-key      the same key and input give the first answer again for 24 hours
  --timeout <seconds>    for each attempt (30)
  --compact              JSON in one line`;

export const commandHelp = ({ name, summary, description, kind, fields }: Command) => `posthorn call ${name}${fields
  .map(usage)
  .join('')}

${summary}${kinds[kind]}. ${description}
${fields.length > 0 ? `\n${fields.map(line).join('\n')}\n` : ''}
${shared}`;

const placeholders = { text: 'text', number: 'n', boolean: 'true|false', list: 'a,b', json: 'json' } as const;

const usage = ({ flag, type, required }: Field) => {
  const text = `--${flag} <${placeholders[type]}>`;
  return required ? ` ${text}` : ` [${text}]`;
};

const line = ({ flag, about, choices }: Field) => {
  const some = choices && choices.length <= 8 ? ` (${choices.join(', ')})` : '';
  return `  --${flag.padEnd(20)} ${about}${some}`;
};

export const profileHelp = `posthorn profile set <name> --url <address> --token <token, or - for standard input>
posthorn profile list
posthorn profile remove <name>`;
