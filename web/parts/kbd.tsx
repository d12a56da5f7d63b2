import styles from './kbd.module.css';

const isMac = /Mac|iPhone|iPad/.test(navigator.platform);

/** Keys to press, hidden on touch: `<Kbd keys="G P" />`. Those of a Mac are named as this machine names them. */
export const Kbd = ({ keys, inverse = false }: { keys: string; inverse?: boolean }) => (
  <span className={`kbd-hint ${styles.keys}`} aria-hidden="true">
    {keys.split(' ').map((key) => (
      <kbd key={key} className={styles.kbd} data-inverse={inverse || undefined}>
        {isMac ? key : key.replace('⌘', 'Ctrl').replace('⇧', 'Shift')}
      </kbd>
    ))}
  </span>
);
