import { useEffect, useMemo, useRef, useState } from 'react';
import { useNetworks } from '#web/networks.ts';
import { NetworkBadge } from '#web/parts/network-badge.tsx';
import styles from './counters.module.css';
import { resultFor } from './draft.ts';
import { type Length, lengthOf } from './text-length.ts';
import { useEditor } from './use-editor.ts';

type Tone = 'grey' | 'orange' | 'red';

interface Counter extends Length {
  readonly network: string;
  readonly tone: Tone;
}

const warnFrom = 0.8;
/** Limits this large are shown only when they are close. */
const farLimit = 10_000;

/** `brief`: only the tightest limit, unless one is nearly reached. */
export const Counters = ({ index, brief = false }: { index: number; brief?: boolean }) => {
  const counters = useCounters(index);
  const announcement = useAnnouncement(counters);
  const near = counters.filter(({ tone }) => tone !== 'grey');
  const [tightest] = [...counters].sort((one, other) => other.count / other.max - one.count / one.max);
  const shown = brief ? (near.length > 0 ? near : tightest ? [tightest] : []) : counters;
  return (
    <span className={styles.counters}>
      {shown.map((counter) => (
        <span key={counter.network} className={`number ${styles.counter}`} data-tone={counter.tone}>
          {(!brief || near.length > 0) && <NetworkBadge network={counter.network} size={16} />}
          <Value counter={counter} />
        </span>
      ))}
      {announcement !== undefined && (
        <span className="hidden" aria-live="polite">
          {announcement}
        </span>
      )}
    </span>
  );
};

const Value = ({ counter: { count, max, over, tone } }: { counter: Counter }) =>
  over > 0 ? (
    <span>
      <span className="hidden">over by </span>
      <b>−{over.toLocaleString('en-GB')}</b>
    </span>
  ) : (
    <span>
      {tone === 'orange' ? <b>{count.toLocaleString('en-GB')}</b> : count.toLocaleString('en-GB')}
      <span className={styles.max}>/{max.toLocaleString('en-GB')}</span>
    </span>
  );

/** One per network, for the account with the least room left. */
const useCounters = (index: number): Counter[] => {
  const { deferredDraft, chosen, version, limitsOf } = useEditor();
  return useMemo(() => {
    const counters = new Map<string, Counter>();
    for (const account of version === undefined ? chosen : chosen.filter(({ id }) => id === version)) {
      const { items, options } = resultFor(deferredDraft, account.id);
      const limits = limitsOf(account);
      const item = items[index];
      if (limits === undefined || item === undefined) continue;
      const length = lengthOf(limits, item.body, options);
      const share = length.count / length.max;
      const tone = length.over > 0 ? 'red' : share >= warnFrom ? 'orange' : 'grey';
      if (tone === 'grey' && length.max >= farLimit) continue;
      const before = counters.get(account.network);
      if (before && before.count / before.max >= share) continue;
      counters.set(account.network, { ...length, network: account.network, tone });
    }
    return [...counters.values()];
  }, [deferredDraft, chosen, version, limitsOf, index]);
};

/** Screen readers hear a counter only when it crosses 80 % or its limit. */
const useAnnouncement = (counters: readonly Counter[]) => {
  const networks = useNetworks();
  const tones = useRef<ReadonlyMap<string, Tone>>(undefined);
  const [announcement, setAnnouncement] = useState<string>();
  useEffect(() => {
    const before = tones.current;
    tones.current = new Map(counters.map(({ network, tone }) => [network, tone]));
    if (before === undefined) return;
    const crossed = counters.filter(({ network, tone }) => tone !== 'grey' && before.get(network) !== tone);
    if (crossed.length === 0) return;
    const words = crossed.map(({ network, over, count, max }) => {
      const { name } = networks.of(network);
      return over > 0 ? `${name}: ${over} characters too many.` : `${name}: ${count} of ${max} characters.`;
    });
    setAnnouncement(words.join(' '));
  }, [counters, networks]);
  return announcement;
};
