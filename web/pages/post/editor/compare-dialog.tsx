import { Modal } from '@mantine/core';
import type { Account, Post } from '#generated/app-client';
import { handleOf } from '#web/networks.ts';
import { DiffText } from '#web/parts/diff-text.tsx';
import styles from './dialogs.module.css';
import { type Draft, draftOf, sideOf } from './draft.ts';
import { useEditor } from './use-editor.ts';

export default function CompareDialog({
  theirs,
  onClose,
  children,
}: {
  theirs: Post;
  onClose: () => void;
  /** Buttons that resolve the conflict. */
  children: React.ReactNode;
}) {
  const { save, accounts } = useEditor();
  const differences = compare(draftOf(theirs), save.draft, accounts);
  return (
    <Modal opened onClose={onClose} title="Compare" size={680}>
      <p className="text-2">
        <del>Struck out</del> is only in their text, <ins>bold</ins> only in yours.
      </p>
      <div style={{ marginTop: 16 }}>
        {differences.length === 0 && <p>The texts are the same. Accounts, media, options or the time differ.</p>}
        {differences.map(({ name, theirs: before, mine }) => (
          <section key={name} className={styles.diff}>
            <h3>{name}</h3>
            <DiffText before={before} after={mine} />
          </section>
        ))}
      </div>
      <div className={styles.buttons}>{children}</div>
    </Modal>
  );
}

const compare = (theirs: Draft, mine: Draft, accounts: readonly Account[]) => {
  const versions = [undefined, ...new Set([...Object.keys(theirs.own), ...Object.keys(mine.own)])];
  return versions.flatMap((id) => {
    const account = accounts.find((one) => one.id === id);
    const name = id === undefined ? 'Original' : account ? `${account.provider}, ${handleOf(account)}` : id;
    const items = (draft: Draft) => (id === undefined || draft.own[id]?.items ? sideOf(draft, id).items : []);
    const [before, after] = [items(theirs), items(mine)];
    return Array.from({ length: Math.max(before.length, after.length) }, (_, index) => ({
      name: before.length > 1 || after.length > 1 ? `${name}, item ${index + 1}` : name,
      theirs: before[index]?.body ?? '',
      mine: after[index]?.body ?? '',
    })).filter((one) => one.theirs !== one.mine);
  });
};
