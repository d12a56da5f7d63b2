import { Button } from '@mantine/core';
import { useEffect, useRef } from 'react';
import type { Account } from '#generated/app-client';
import { handleOf } from '#web/networks.ts';
import { Kbd } from '#web/parts/kbd.tsx';
import { NetworkBadge } from '#web/parts/network-badge.tsx';
import { showToast } from '#web/parts/toasts.tsx';
import { type Draft, isEdited, isOwn, resetSide } from './draft.ts';
import { useEditor } from './use-editor.ts';
import styles from './version-tabs.module.css';

/** Alt and a digit switches tabs. */
export const VersionTabs = () => {
  const { chosen, version, openVersion, save, edit, readOnly } = useEditor();
  const list = useRef<HTMLDivElement>(null);
  const tabs = [undefined, ...chosen.map(({ id }) => id)];
  useTabKeys(tabs, openVersion);
  const current = tabs.indexOf(version);
  const account = chosen.find(({ id }) => id === version);
  const go = (index: number) => {
    const at = (index + tabs.length) % tabs.length;
    openVersion(tabs[at]);
    list.current?.querySelectorAll<HTMLElement>('[role="tab"]')[at]?.focus();
  };
  const press = (event: React.KeyboardEvent) => {
    const to = { ArrowRight: current + 1, ArrowLeft: current - 1, Home: 0, End: tabs.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    go(to);
  };
  const reset = (accountId: string) => {
    const own = save.draft.own[accountId];
    edit(resetSide(accountId));
    const restore = (draft: Draft) => (own ? { ...draft, own: { ...draft.own, [accountId]: own } } : draft);
    showToast({ text: 'Reset to the original', action: { label: 'Undo', onClick: () => edit(restore) } });
  };
  return (
    <div className={styles.row}>
      <div ref={list} className={styles.tabs} role="tablist" aria-label="Versions" onKeyDown={press}>
        <Tab selected={version === undefined} onOpen={() => openVersion(undefined)}>
          Original
        </Tab>
        {chosen.map((one) => (
          <Tab key={one.id} selected={one.id === version} onOpen={() => openVersion(one.id)}>
            <NetworkBadge network={one.network} size={18} isColored={one.id === version} />
            <span className={hasTwin(one, chosen) ? `one-line ${styles.handle}` : 'hidden'}>{handleOf(one)}</span>
            {isOwn(save.draft, one.id) && (
              <span className={styles.edited}>{isEdited(save.draft, one.id) ? 'edited' : 'options'}</span>
            )}
          </Tab>
        ))}
      </div>
      {account && isOwn(save.draft, account.id) && !readOnly ? (
        <Button size="xs" variant="quiet" className={styles.side} onClick={() => reset(account.id)}>
          Reset to original
        </Button>
      ) : (
        <span className={`desk-only caption text-3 ${styles.side}`}>
          Switch <Kbd keys="Alt 1–9" />
        </span>
      )}
    </div>
  );
};

const Tab = ({ selected, onOpen, children }: { selected: boolean; onOpen: () => void; children: React.ReactNode }) => (
  <button
    type="button"
    role="tab"
    className={styles.tab}
    aria-selected={selected}
    aria-controls="editor-version"
    tabIndex={selected ? 0 : -1}
    onClick={onOpen}
  >
    {children}
  </button>
);

/** Two accounts of one network need their handles to be told apart. */
const hasTwin = ({ id, network }: Account, all: readonly Account[]) =>
  all.some((other) => other.network === network && other.id !== id);

const useTabKeys = (tabs: readonly (string | undefined)[], open: (version: string | undefined) => void) => {
  const latest = useRef({ tabs, open });
  useEffect(() => {
    latest.current = { tabs, open };
  });
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      // Alt and a digit types another character on some keyboards, so compare the code.
      const [, digit] = /^Digit([1-9])$/.exec(event.code) ?? [];
      const { tabs, open } = latest.current;
      const index = Number(digit) - 1;
      if (!event.altKey || event.ctrlKey || event.metaKey || digit === undefined || index >= tabs.length) return;
      event.preventDefault();
      open(tabs[index]);
    };
    window.addEventListener('keydown', press);
    return () => window.removeEventListener('keydown', press);
  }, []);
};
