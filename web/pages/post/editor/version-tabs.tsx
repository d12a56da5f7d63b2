import { ActionIcon, Menu } from '@mantine/core';
import { Ellipsis, Undo2, Users } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import type { Account } from '#generated/app-client';
import { handleOf, useNetworks } from '#web/base/networks.ts';
import tabs from '#web/pages/post/tab.module.css';
import { isTyping } from '#web/parts/is-typing.ts';
import { NetworkBadge } from '#web/parts/network-badge.tsx';
import { showToast } from '#web/parts/toasts.tsx';
import { AccountPicker } from './account-picker.tsx';
import { type Draft, followOriginal, hasOwnMedia, hasOwnOptions, hasOwnText, type Part } from './draft.ts';
import { useEditor } from './use-editor.ts';
import { fields } from './use-reveal.ts';
import styles from './version-tabs.module.css';

/** What an account does not share with the original. */
const ownParts = (draft: Draft, accountId: string): Part[] => [
  ...(hasOwnText(draft, accountId) ? ['text' as const] : []),
  ...(hasOwnMedia(draft, accountId) ? ['media' as const] : []),
  ...(hasOwnOptions(draft, accountId) ? ['options' as const] : []),
];

export const VersionTabs = () => {
  const { chosen, version, openVersion, save, readOnly } = useEditor();
  const list = useRef<HTMLDivElement>(null);
  const tabs = [undefined, ...chosen.map(({ id }) => id)];
  const current = tabs.indexOf(version);
  const press = (event: React.KeyboardEvent) => {
    const to = { ArrowRight: current + 1, ArrowLeft: current - 1, Home: 0, End: tabs.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const at = (to + tabs.length) % tabs.length;
    openVersion(tabs[at]);
    list.current?.querySelectorAll<HTMLElement>('[role="tab"]')[at]?.focus();
  };
  return (
    <>
      <div className={styles.row}>
        <div ref={list} className={styles.tabs} role="tablist" aria-label="Versions" onKeyDown={press}>
          <Tab selected={version === undefined} onOpen={() => openVersion(undefined)}>
            Original
          </Tab>
          {chosen.map((one) => {
            const own = ownParts(save.draft, one.id);
            return (
              <Tab key={one.id} selected={one.id === version} onOpen={() => openVersion(one.id)}>
                <NetworkBadge network={one.network} size={18} isColored={one.id === version} />
                <span className={hasTwin(one, chosen) ? `one-line ${styles.handle}` : 'hidden'}>{handleOf(one)}</span>
                {own.length > 0 && <span className={styles.own}>own {own.join(', ')}</span>}
              </Tab>
            );
          })}
        </div>
        {!readOnly && <EndMenu />}
      </div>
      {!readOnly && <VersionNote />}
    </>
  );
};

const EndMenu = () => {
  const [isChanging, setIsChanging] = useState(false);
  return (
    <Menu position="bottom-end">
      <AccountPicker opened={isChanging} onClose={() => setIsChanging(false)}>
        <span className={styles.end}>
          <Menu.Target>
            <ActionIcon id={fields.accounts} aria-label="Accounts of the post">
              <Ellipsis size={17} aria-hidden="true" />
            </ActionIcon>
          </Menu.Target>
        </span>
      </AccountPicker>
      <Menu.Dropdown>
        <Menu.Item leftSection={<Users size={15} aria-hidden="true" />} onClick={() => setIsChanging(true)}>
          Change accounts
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
};

const partNames: Record<Part, string> = { text: 'Own text', media: 'Own media', options: 'Own options' };

/** Lists what the open version overrides, with a button for each part to follow the original again. */
const VersionNote = () => {
  const { chosen, version, save, edit } = useEditor();
  const networks = useNetworks();
  const account = chosen.find(({ id }) => id === version);
  if (account === undefined) return null;
  const own = ownParts(save.draft, account.id);
  const name = networks.of(account.network).name;
  if (own.length === 0) {
    return <p className={styles.note}>The same as the original. What you change here is for {name} alone.</p>;
  }
  const follow = (part: Part) => {
    const before = save.draft.own[account.id];
    edit(followOriginal(account.id, part));
    const restore = (draft: Draft) => (before ? { ...draft, own: { ...draft.own, [account.id]: before } } : draft);
    showToast({
      text: `${name} follows the original again: ${part}`,
      icon: Undo2,
      action: { label: 'Undo', onClick: () => edit(restore) },
    });
  };
  return (
    <ul className={styles.note} aria-label={`What ${name} has of its own`}>
      {own.map((part) => (
        <li key={part}>
          <b>{partNames[part]}</b>
          <button
            type="button"
            className={styles.follow}
            aria-label={`Follow the original again: ${part}`}
            onClick={() => follow(part)}
          >
            Follow the original again
          </button>
        </li>
      ))}
    </ul>
  );
};

const Tab = ({ selected, onOpen, children }: { selected: boolean; onOpen: () => void; children: React.ReactNode }) => (
  <button
    type="button"
    role="tab"
    className={tabs.tab}
    aria-selected={selected}
    aria-controls="editor-version"
    tabIndex={selected ? 0 : -1}
    onClick={onOpen}
  >
    {children}
  </button>
);

/** Two accounts on the same network can only be told apart by their handles. */
const hasTwin = ({ id, network }: Account, all: readonly Account[]) =>
  all.some((other) => other.network === network && other.id !== id);

/** Alt and a digit opens a version, also while the tabs are not shown yet. */
export const useVersionKeys = (chosen: readonly Account[], open: (version: string | undefined) => void) => {
  const latest = useRef({ chosen, open });
  useEffect(() => {
    latest.current = { chosen, open };
  });
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      // Alt and a digit types another character on some keyboards, so compare the code.
      const [, digit] = /^Digit([1-9])$/.exec(event.code) ?? [];
      const { chosen, open } = latest.current;
      const tabs = [undefined, ...chosen.map(({ id }) => id)];
      const index = Number(digit) - 1;
      if (!event.altKey || event.ctrlKey || event.metaKey || digit === undefined || index >= tabs.length) return;
      // On a British Mac this types #, on a Spanish one @.
      if (isTyping(event) && event.key !== digit) return;
      event.preventDefault();
      open(tabs[index]);
    };
    window.addEventListener('keydown', press);
    return () => window.removeEventListener('keydown', press);
  }, []);
};
