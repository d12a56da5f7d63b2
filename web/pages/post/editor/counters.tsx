import { useEffect, useMemo, useRef, useState } from 'react';
import { useNetworks } from '#web/base/networks.ts';
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

/** From 80 % of a limit on, the closest to full first. */
export const Counters = ({ index }: { index: number }) => {
  const counters = useCounters(index);
  const announcement = useAnnouncement(counters);
  const networks = useNetworks();
  const near = counters
    .filter(({ tone }) => tone !== 'grey')
    .sort((one, other) => other.count / other.max - one.count / one.max);
  return (
    <span className={styles.counters}>
      {near.map((counter) => (
        <span key={counter.network} className={`number ${styles.counter}`} data-tone={counter.tone}>
          <Ring share={counter.count / counter.max} />
          {networks.of(counter.network).name} <Value counter={counter} />
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

const Value = ({ counter: { count, max, over } }: { counter: Counter }) =>
  over > 0 ? (
    <span>
      <span className="hidden">over by </span>−{exact(over)}
    </span>
  ) : (
    <span>
      {exact(count)}/{exact(max)}
    </span>
  );

/** Never rounded: one character decides. */
const exact = (value: number) => value.toLocaleString('en-GB');

const around = 2 * Math.PI * 6;

const Ring = ({ share }: { share: number }) => (
  <svg className={styles.ring} width="16" height="16" viewBox="0 0 16 16" aria-hidden="true">
    <circle cx="8" cy="8" r="6" />
    <circle cx="8" cy="8" r="6" strokeDasharray={`${Math.min(share, 1) * around} ${around}`} />
  </svg>
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
