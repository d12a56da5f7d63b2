import styles from './kbd.module.css';

/** Keys to press, hidden on touch: `<Kbd keys="G P" />`. */
export const Kbd = ({ keys, inverse = false }: { keys: string; inverse?: boolean }) => (
  <span className={`kbd-hint ${styles.keys}`} aria-hidden="true">
    {keys.split(' ').map((key) => (
      <kbd key={key} className={styles.kbd} data-inverse={inverse || undefined}>
        {key}
      </kbd>
    ))}
  </span>
);
