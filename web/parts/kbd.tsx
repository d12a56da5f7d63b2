import styles from './kbd.module.css';

const isMac = /Mac|iPhone|iPad/.test(navigator.platform);
/** What the keys of a Mac are called elsewhere. */
const elsewhere: Record<string, string> = { '⌘': 'Ctrl', '⇧': 'Shift' };

/** Keys to press, hidden on touch: `<Kbd keys="G P" />`. Those of a Mac are named as this machine names them. */
export const Kbd = ({ keys, inverse = false }: { keys: string; inverse?: boolean }) => (
  <span className={`kbd-hint ${styles.keys}`} aria-hidden="true">
    {keys.split(' ').map((key) => (
      <kbd key={key} className={styles.kbd} data-inverse={inverse || undefined}>
        {isMac ? key : (elsewhere[key] ?? key)}
      </kbd>
    ))}
  </span>
);
