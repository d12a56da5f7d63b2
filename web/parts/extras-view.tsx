import { type Extras, formatDuration } from './extras.ts';
import styles from './extras-view.module.css';

export const ExtrasView = ({ poll, quote, longText, firstComment }: Extras) => (
  <>
    {poll && (
      <figure className={styles.box} aria-label="Poll">
        <ul className={styles.choices}>
          {poll.choices.map((choice, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: choices have no id
            <li key={index} dir="auto">
              {choice.trim() || <i className="text-3">Choice {index + 1}</i>}
            </li>
          ))}
        </ul>
        <figcaption className="small text-2">
          Poll for {formatDuration(poll.durationMinutes)}
          {poll.multiple && ' · several answers'}
          {poll.hideTotals && ' · numbers hidden until the end'}
        </figcaption>
      </figure>
    )}
    {quote && (
      <figure className={styles.box} aria-label="Quoted post">
        <figcaption className="small text-2">Quotes</figcaption>
        <span className={styles.address}>{quote}</span>
      </figure>
    )}
    {longText && (
      <figure className={styles.box} aria-label="Long text">
        <figcaption className="small text-2">Long text</figcaption>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scroller must be reachable by keyboard */}
        <p className={styles.words} dir="auto" tabIndex={0}>
          {longText}
        </p>
      </figure>
    )}
    {firstComment && (
      <figure className={styles.box} aria-label="First comment">
        <figcaption className="small text-2">First comment</figcaption>
        <p className={styles.said} dir="auto">
          {firstComment}
        </p>
      </figure>
    )}
  </>
);
