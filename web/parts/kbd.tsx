import styles from './kbd.module.css';

const isMac = /Mac|iPhone|iPad/.test(navigator.platform);

/** `<Kbd keys="G P" />`. Written as Mac keys; other systems get their own names. */
export const Kbd = ({ keys, inverse = false }: { keys: string; inverse?: boolean }) => (
  <span className={`kbd-hint ${styles.keys}`} aria-hidden="true">
    {keys.split(' ').map((key) => (
      <kbd key={key} className={styles.kbd} data-inverse={inverse || undefined}>
        {isMac ? key : key.replace('⌘', 'Ctrl').replace('⇧', 'Shift')}
      </kbd>
    ))}
  </span>
);

export const KeyHint = ({ keys, children }: { keys: string; children: React.ReactNode }) => (
  <span className="kbd-hint inline">
    <Kbd keys={keys} /> {children}
  </span>
);
