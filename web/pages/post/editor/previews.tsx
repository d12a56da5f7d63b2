import { useEffect, useState } from 'react';
import type { Account } from '#generated/app-client';
import { handleOf } from '#web/networks.ts';
import { NetworkBadge } from '#web/parts/network-badge.tsx';
import { Preview } from './preview.tsx';
import styles from './previews.module.css';
import { useEditor } from './use-editor.ts';

const previewId = (accountId: string) => `editor-preview-${accountId}`;

/** A badge moves its preview to the top. */
export const Previews = () => {
  const { chosen, version } = useEditor();
  const [picked, setPicked] = useState<string>();
  useEffect(() => {
    if (version === undefined) return;
    setPicked(version);
    requestAnimationFrame(() => document.getElementById(previewId(version))?.scrollIntoView({ block: 'nearest' }));
  }, [version]);
  if (chosen.length === 0) return null;
  const first = chosen.find(({ id }) => id === picked) ?? chosen[0];
  const rest = chosen.filter(({ id }) => id !== first?.id);
  return (
    <section aria-label="Preview">
      <header className={styles.head}>
        <h2 className={styles.title}>Preview</h2>
        <span className={styles.badges}>
          {chosen.map((account) => (
            <button
              key={account.id}
              type="button"
              className={styles.badge}
              aria-pressed={account.id === first?.id}
              onClick={() => setPicked(account.id)}
            >
              <NetworkBadge network={account.network} size={18} />
              <span className="hidden">{handleOf(account)}</span>
            </button>
          ))}
        </span>
      </header>
      <div className={styles.list}>
        {[first, ...rest].map((account: Account | undefined) =>
          account ? (
            <div
              key={account.id}
              id={previewId(account.id)}
              className={styles.preview}
              data-ring={account.id === version || undefined}
            >
              <Preview account={account} />
            </div>
          ) : null,
        )}
      </div>
    </section>
  );
};
