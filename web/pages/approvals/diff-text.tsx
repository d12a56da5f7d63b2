import styles from './card.module.css';
import { wordDiff } from './word-diff.ts';

/** What is gone is struck through, what is new is bold: colour is never alone. */
export const DiffText = ({ before, after }: { before: string; after: string }) => (
  <p className={styles.text} dir="auto">
    {wordDiff(before, after).map(({ kind, text }, index) => {
      const key = `${index} ${kind}`;
      if (kind === 'gone') {
        return (
          <span key={key}>
            <del>{text.trimEnd()}</del>{' '}
          </span>
        );
      }
      return kind === 'new' ? (
        <span key={key}>
          <ins>{text.trimEnd()}</ins>
          {/\s$/.test(text) && text.slice(text.trimEnd().length)}
        </span>
      ) : (
        <span key={key}>{text}</span>
      );
    })}
  </p>
);
