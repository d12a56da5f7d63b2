import { useState } from 'react';
import { handleOf } from '#web/base/networks.ts';
import { NetworkBadge } from '#web/parts/network-badge.tsx';
import type { PreviewPost } from './model.ts';
import { Preview } from './preview.tsx';
import styles from './preview-picker.module.css';

export interface PreviewEntry {
  /** Account id. */
  readonly id: string;
  readonly post: PreviewPost;
  /** Beside the name of the network: `own text`. */
  readonly note?: string | undefined;
  readonly time?: string | undefined;
}

/** One preview at a time, chosen by the badge of its network. */
export const PreviewPicker = ({
  title,
  entries,
  picked: wish,
  onPick,
  ringed,
  frameId,
  hasRows = false,
  headingId,
}: {
  title: string;
  entries: readonly PreviewEntry[];
  /** Absent: the component remembers the choice itself. */
  picked?: string | undefined;
  onPick?: (id: string) => void;
  /** The account that is being written for. */
  ringed?: string | undefined;
  frameId?: string | undefined;
  /** Lists the others below, with their notes. */
  hasRows?: boolean;
  headingId?: string;
}) => {
  const [own, setOwn] = useState<string>();
  const current = entries.find(({ id }) => id === (onPick ? wish : own)) ?? entries[0];
  const pick = onPick ?? setOwn;
  if (current === undefined) return null;
  const others = entries.filter(({ id }) => id !== current.id);
  return (
    <section aria-label={title}>
      <header className={styles.head}>
        <h2 id={headingId} className={styles.title}>
          {title}
        </h2>
        {entries.length > 1 && (
          <span className={styles.badges}>
            {entries.map(({ id, post: { network, account } }) => (
              <button
                key={id}
                type="button"
                className={styles.badge}
                aria-pressed={id === current.id}
                onClick={() => pick(id)}
              >
                <NetworkBadge network={network} size={18} isColored={id === current.id} />
                <span className="hidden">{handleOf(account)}</span>
              </button>
            ))}
          </span>
        )}
      </header>
      <p className={styles.name}>
        <NetworkBadge network={current.post.network} size={18} isColored />
        <b aria-hidden="true">{current.post.account.provider}</b>
        {current.note && <span className={styles.note}>{current.note}</span>}
      </p>
      {/* A new account starts with its text folded and its first picture. */}
      <div id={frameId} className={styles.frame} data-ring={current.id === ringed || undefined}>
        <Preview key={current.id} post={current.post} time={current.time ?? 'now'} />
      </div>
      {hasRows && others.length > 0 && (
        <ul className={styles.rows} aria-label="Other previews">
          {others.map(({ id, post: { network, account }, note }) => (
            <li key={id}>
              <button type="button" className={`card ${styles.row}`} onClick={() => pick(id)}>
                <NetworkBadge network={network} size={20} />
                <b aria-hidden="true">{account.provider}</b>
                <span className="hidden">{handleOf(account)}</span>
                <span className="small text-2">{note ?? 'the same text'}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
};
