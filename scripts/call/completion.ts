import type { Command } from './command.ts';

const groups =
  'call profile completion start setup demo link user doctor keys logs backup restore token account import plan jobs clock twins';

/** A script for the shell: actions after `call`, then their fields, then the values of a field that has few. */
export const completion = (shell: 'bash' | 'zsh', commands: readonly Command[], common: readonly string[]): string => {
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
  elif [ "\${COMP_WORDS[1]}" = completion ]; then words="bash zsh"
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
