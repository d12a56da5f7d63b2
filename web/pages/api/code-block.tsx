import { CopyButton } from '#web/parts/copy.tsx';
import styles from './api.module.css';

export const CodeBlock = ({ label, text }: { label: string; text: string }) => (
  <div className={styles.code}>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scroller must be reachable by keyboard */}
    <section className={styles.scroll} tabIndex={0} aria-label={label}>
      <pre>{text}</pre>
    </section>
    <div className={styles.copyCode}>
      <CopyButton value={text} label={`Copy ${label}`}>
        Copy
      </CopyButton>
    </div>
  </div>
);
