import { Drawer, Popover } from '@mantine/core';
import { AccountChip } from '#web/parts/account-chip.tsx';
import { useIsPhone } from '#web/parts/use-is-phone.ts';
import styles from './account-picker.module.css';
import { toggleAccount } from './draft.ts';
import { lowSheet } from './low-sheet.ts';
import { useEditor } from './use-editor.ts';

/** Opens below `children`, on a phone as a drawer. */
export const AccountPicker = ({
  opened,
  onClose,
  children,
}: {
  opened: boolean;
  onClose: () => void;
  children: React.ReactElement;
}) => {
  const isPhone = useIsPhone();
  if (isPhone) {
    return (
      <>
        {children}
        <Drawer opened={opened} onClose={onClose} title="Accounts" position="bottom" styles={lowSheet}>
          <Chips />
        </Drawer>
      </>
    );
  }
  return (
    <Popover opened={opened} onDismiss={onClose} position="bottom-start" trapFocus returnFocus withRoles={false}>
      <Popover.Target>{children}</Popover.Target>
      <Popover.Dropdown className={styles.picker} role="dialog" aria-label="Accounts">
        <Chips />
      </Popover.Dropdown>
    </Popover>
  );
};

/** In the order of the workspace, so that a chip does not jump when it is pressed. */
const Chips = () => {
  const { accounts, chosen, edit } = useEditor();
  const disconnected = chosen.filter(({ id }) => accounts.every((account) => account.id !== id));
  const order = accounts.map(({ id }) => id);
  return (
    <fieldset className={styles.chips}>
      <legend className="hidden">Accounts</legend>
      {[...accounts, ...disconnected].map((account) => (
        <AccountChip
          key={account.id}
          account={account}
          pressed={chosen.some(({ id }) => id === account.id)}
          onToggle={() => edit(toggleAccount(account.id, order))}
        />
      ))}
    </fieldset>
  );
};
