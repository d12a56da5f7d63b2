import type { Command } from './command.ts';

const groups =
  'call profile completion start setup demo link user doctor keys logs backup restore token account import plan listen jobs clock twins verify';

/**
 * A script for the shell: completes actions after `call`, then their fields, then the values of fields with choices.
 */
export const completion = (
  shell: 'bash' | 'zsh' | 'fish',
  commands: readonly Command[],
  common: readonly string[],
): string => {
  if (shell === 'fish') return fishCompletion(commands, common);
  const names = [...commands.map(({ name }) => name), 'media.upload', 'whoami'];
  const flags = (more: readonly string[]) => [...more, ...common].map((name) => `--${name}`).join(' ');
  const cases = commands.map(({ name, fields }) => `    ${name}) words="${flags(fields.map(({ flag }) => flag))}" ;;`);
  const choices = commands.flatMap(({ name, fields }) =>
    fields.flatMap(({ flag, choices: values }) =>
      values ? [`    "${name} --${flag}") words="${values.join(' ')}" ;;`] : [],
    ),
  );
  const bash = `_posthorn() {
  local words="" here="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" action="\${COMP_WORDS[2]}"
  if [ "$COMP_CWORD" -eq 1 ]; then words="${groups}"
  elif [ "\${COMP_WORDS[1]}" = completion ]; then words="bash zsh fish"
  elif [ "\${COMP_WORDS[1]}" = profile ]; then [ "$COMP_CWORD" -eq 2 ] && words="set list remove"
  elif [ "\${COMP_WORDS[1]}" != call ]; then return
  elif [ "$COMP_CWORD" -eq 2 ]; then words="${names.join(' ')}"
  else
    case "$action $before" in
${choices.join('\n')}
    *) case "$action" in
${cases.join('\n')}
    media.upload) words="${flags(['file', 'address', 'alt'])}" ;;
    *) words="${flags([])}" ;;
    esac ;;
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$here"))
}
complete -o default -F _posthorn posthorn`;
  return shell === 'bash' ? bash : `autoload -U +X bashcompinit && bashcompinit\n${bash}`;
};

interface Completed {
  readonly name: string;
  readonly fields: readonly { readonly flag: string; readonly choices?: readonly string[] | undefined }[];
}

const fishCompletion = (commands: readonly Command[], common: readonly string[]): string => {
  const upload = { name: 'media.upload', fields: ['file', 'address', 'alt'].map((flag) => ({ flag })) };
  const actions: Completed[] = [...commands, upload, { name: 'whoami', fields: [] }];
  const rule = (words: string, offer: string) => `complete -c posthorn -n '__posthorn_after ${words}' ${offer}`;
  const only = (words: string, values: readonly string[]) => rule(words, `-f -a '${values.join(' ')}'`);
  return [
    // The words before the cursor, without the program.
    'function __posthorn_after',
    '  set -l words (commandline -opc)[2..-1]',
    '  if test "$argv[-1]" = ...',
    '    string match -q -- "$argv[1..-2] *" "$words "',
    '  else',
    '    test "$words" = "$argv"',
    '  end',
    'end',
    only('', groups.split(' ')),
    only('completion', ['bash', 'zsh', 'fish']),
    only('profile', ['set', 'list', 'remove']),
    only(
      'call',
      actions.map(({ name }) => name),
    ),
    ...actions.flatMap(({ name, fields }) =>
      fields.map(({ flag, choices }) =>
        rule(`call ${name} ...`, `-l ${flag} ${choices ? `-x -a '${choices.join(' ')}'` : '-r'}`),
      ),
    ),
    ...common.map((flag) => rule('call ...', `-l ${flag}`)),
  ].join('\n');
};
