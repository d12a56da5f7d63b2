import { Drawer } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { AccountChip } from '#web/parts/account-chip.tsx';
import { Banner } from '#web/parts/banner.tsx';
import { NetworkBadges } from '#web/parts/network-badge.tsx';
import { count } from '#web/parts/number.ts';
import { useIsPhone } from '#web/parts/use-is-phone.ts';
import styles from './account-picker.module.css';
import { toggleAccount } from './draft.ts';
import { lowSheet } from './low-sheet.ts';
import { useEditor } from './use-editor.ts';
import { fields } from './use-reveal.ts';

/** Chosen accounts as chips; the others behind `6 more accounts`. */
export const AccountPicker = () => {
  const { accounts, chosen, readOnly } = useEditor();
  const isPhone = useIsPhone();
  const [isChanging, setIsChanging] = useState(false);
  if (accounts.length === 0 && chosen.length === 0) {
    return (
      <Banner tone="blue" title="No account is connected yet" action={<Link to="/accounts">Social accounts</Link>}>
        Write as much as you like. To send it, connect an account first.
      </Banner>
    );
  }
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
  if (!isPhone) return <Chips />;
  return (
    <div className={styles.line}>
      {chosen.length > 0 ? (
        <NetworkBadges networks={chosen.map(({ network }) => network)} size={24} max={9} />
      ) : (
        <span className="text-3">No account chosen</span>
      )}
      <button type="button" id={fields.accounts} className={styles.change} onClick={() => setIsChanging(true)}>
        {chosen.length > 0 ? 'Change' : 'Choose'}
      </button>
      <Drawer
        opened={isChanging}
        onClose={() => setIsChanging(false)}
        title="Accounts"
        position="bottom"
        styles={lowSheet}
      >
        <Chips all />
      </Drawer>
    </div>
  );
};

const Chips = ({ all = false }: { all?: boolean }) => {
  const { accounts, chosen, edit } = useEditor();
  // Someone who starts with none will choose several, so keep the list open.
  const [opened, setOpened] = useState(chosen.length === 0);
  const isChosen = (id: string) => chosen.some((account) => account.id === id);
  const rest = accounts.filter(({ id }) => !isChosen(id));
  const showsRest = all || opened || chosen.length === 0;
  // Workspace order, so that a chip does not jump when it is pressed.
  const disconnected = chosen.filter(({ id }) => accounts.every((account) => account.id !== id));
  const visible = [...(showsRest ? accounts : accounts.filter(({ id }) => isChosen(id))), ...disconnected];
  const order = accounts.map(({ id }) => id);
  return (
    <fieldset id={all ? undefined : fields.accounts} className={styles.chips} tabIndex={-1}>
      <legend className="hidden">Accounts</legend>
      {visible.map((account) => (
        <AccountChip
          key={account.id}
          account={account}
          pressed={isChosen(account.id)}
          onToggle={() => edit(toggleAccount(account.id, order))}
        />
      ))}
      {!all && chosen.length > 0 && rest.length > 0 && (
        <button type="button" className={styles.more} aria-expanded={opened} onClick={() => setOpened(!opened)}>
          {opened ? (
            'Show fewer'
          ) : (
            <>
              <Plus size={14} aria-hidden="true" />
              {count(rest.length, 'more account')}
            </>
          )}
        </button>
      )}
    </fieldset>
  );
};
