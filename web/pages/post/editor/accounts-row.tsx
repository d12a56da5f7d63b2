import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Account } from '#generated/app-client';
import { handleOf } from '#web/base/networks.ts';
import { AccountChip } from '#web/parts/account-chip.tsx';
import { Banner } from '#web/parts/banner.tsx';
import { NetworkBadge } from '#web/parts/network-badge.tsx';
import { count } from '#web/parts/number.ts';
import { AccountPicker } from './account-picker.tsx';
import styles from './accounts-row.module.css';
import { type Editor, useEditor } from './use-editor.ts';
import { fields } from './use-reveal.ts';
import { useRovingFocus } from './use-roving-focus.ts';
import { VersionTabs } from './version-tabs.tsx';

/** A plain row of badges. It becomes tabs once an account overrides something or its version is opened. */
export const AccountsRow = () => {
  const { accounts, chosen, hasTabs, readOnly } = useEditor();
  if (accounts.length === 0 && chosen.length === 0) {
    return (
      <Banner tone="blue" title="No account is connected yet" action={<Link to="/accounts">Social accounts</Link>}>
        Write as much as you like. To send it, connect an account first.
      </Banner>
    );
  }
  if (hasTabs) return <VersionTabs />;
  if (readOnly) {
    return (
      <ul className={styles.chips} aria-label="Accounts">
        {chosen.map((account) => (
          <li key={account.id}>
            <AccountChip account={account} />
          </li>
        ))}
      </ul>
    );
  }
  return <QuietRow />;
};

const QuietRow = () => {
  const editor = useEditor();
  const { chosen } = editor;
  const [isChanging, setIsChanging] = useState(false);
  const picker = (
    <AccountPicker opened={isChanging} onClose={() => setIsChanging(false)}>
      <button
        type="button"
        id={fields.accounts}
        className={styles.change}
        aria-haspopup="dialog"
        aria-expanded={isChanging}
        onClick={() => setIsChanging(!isChanging)}
      >
        {chosen.length > 0 ? 'Change' : 'Choose accounts'}
      </button>
    </AccountPicker>
  );
  return (
    <div className={styles.row}>
      <span className={styles.to}>To</span>
      {chosen.length > 0 && <Badges accounts={chosen} onOpen={editor.openVersion} />}
      {chosen.length > 0 && <Words editor={editor} />}
      {picker}
    </div>
  );
};

/** A single tab stop, so that Tab reaches the text field sooner. */
const Badges = ({ accounts, onOpen }: { accounts: readonly Account[]; onOpen: (id: string) => void }) => {
  const roving = useRovingFocus(accounts.length);
  return (
    <div ref={roving.ref} className={styles.badges} role="toolbar" aria-label="Accounts" onKeyDown={roving.onKeyDown}>
      {accounts.map((account, index) => (
        <button
          key={account.id}
          type="button"
          className={styles.badge}
          tabIndex={roving.tabIndexOf(index)}
          title={handleOf(account)}
          onFocus={() => roving.setCurrent(index)}
          onClick={() => {
            onOpen(account.id);
            // Opening a version replaces the badges with tabs, so the pressed button is gone: focus its tab.
            requestAnimationFrame(() =>
              document.querySelector<HTMLElement>('[role="tab"][aria-selected="true"]')?.focus(),
            );
          }}
        >
          <span className="hidden">Write for </span>
          <NetworkBadge network={account.network} size={24} />
          <span className="hidden">{handleOf(account)}</span>
        </button>
      ))}
    </div>
  );
};

const Words = ({ editor: { chosen, save, lastAccounts } }: { editor: Editor }) => {
  const ids = chosen.map(({ id }) => id).join();
  const isLast = save.base === undefined && lastAccounts !== undefined && ids === lastAccounts.accountIds.join();
  const short = chosen[1] === undefined && chosen[0] ? handleOf(chosen[0]) : count(chosen.length, 'account');
  if (!isLast) return <span className={`one-line ${styles.words}`}>{short}</span>;
  const long =
    lastAccounts.disconnected > 0
      ? `${count(chosen.length, 'account')} from last time; ${lastAccounts.disconnected} disconnected since`
      : chosen.length === 1
        ? `${short}, as last time`
        : `the same ${chosen.length} accounts as last time`;
  return (
    <>
      <span className={`one-line ${styles.words} ${styles.long}`}>{long}</span>
      <span className={`one-line ${styles.words} ${styles.short}`}>{short}</span>
    </>
  );
};
