import { Button, Modal, Radio } from '@mantine/core';
import { useState } from 'react';
import type { Account, Post } from '#generated/app-client';
import { handleOf } from '#web/base/networks.ts';
import { useZone } from '#web/base/session.ts';
import { formatSaid } from '#web/base/time.ts';
import { joinWithAnd } from '#web/parts/join-names.ts';
import { count } from '#web/parts/number.ts';
import { wordDiff } from '#web/parts/word-diff.ts';
import styles from './compare-dialog.module.css';
import { type Draft, draftOf, type Side, sideOf } from './draft.ts';
import { differingParts, isSamePart, keyOf, mergeDrafts, type PartId } from './merge-drafts.ts';
import { useEditor } from './use-editor.ts';

/** Both versions side by side. Each part that differs can be taken from either. */
export default function CompareDialog({
  theirs: post,
  who,
  onUse,
  onClose,
  children,
}: {
  theirs: Post;
  /** Who made the other version. */
  who: string;
  /** Saves a draft in place of both; undefined if the post can no longer be changed. */
  onUse: ((draft: Draft) => void) | undefined;
  onClose: () => void;
  /** Other ways out of the conflict. */
  children: React.ReactNode;
}) {
  const { save, accounts } = useEditor();
  const { draft: mine, base } = save;
  const [theirs] = useState(() => draftOf(post));
  const parts = differingParts(mine, theirs);
  const [choices, setChoices] = useState<Readonly<Record<string, boolean>>>({});
  const before = base && draftOf(base);
  /** Until the person chooses: the side that changed the part, or mine if both did. */
  const isMine = (part: PartId) => choices[keyOf(part)] ?? !(before && isSamePart(part, mine, before));
  const chosenMine = parts.filter(isMine).length;
  const setAll = (value: boolean) => setChoices(Object.fromEntries(parts.map((part) => [keyOf(part), value])));
  const label = chosenMine === parts.length ? 'Use mine' : chosenMine === 0 ? 'Use theirs' : 'Use what is chosen';
  return (
    <Modal opened onClose={onClose} title="Compare" size={900}>
      <div className={styles.lead}>
        <p className="text-2">
          {who === 'You' ? 'What you changed elsewhere' : `The text of ${who}`} and yours. Words that only one of them
          has are bold.
        </p>
        {onUse && parts.length > 1 && (
          <span className={styles.all}>
            <Button size="xs" onClick={() => setAll(true)}>
              All mine
            </Button>
            <Button size="xs" onClick={() => setAll(false)}>
              All theirs
            </Button>
          </span>
        )}
      </div>
      {parts.length === 0 && <p>Both are the same now.</p>}
      {parts.map((part) => (
        <PartChoice
          key={keyOf(part)}
          part={part}
          name={partName(part, accounts)}
          mine={mine}
          theirs={theirs}
          who={who}
          isMine={onUse && isMine(part)}
          onChoose={(value) => setChoices((all) => ({ ...all, [keyOf(part)]: value }))}
        />
      ))}
      <div className={styles.buttons}>
        {children}
        {onUse && (
          <Button
            variant="ink"
            size="xs"
            onClick={() => {
              onUse(mergeDrafts(mine, theirs, isMine));
              onClose();
            }}
          >
            {label}
          </Button>
        )}
      </div>
    </Modal>
  );
}

const partName = (part: PartId, accounts: readonly Account[]) => {
  if (part === 'original') return 'Original';
  if (part === 'rest') return 'Accounts and time';
  const account = accounts.find(({ id }) => id === part.accountId);
  return account ? `${account.provider}, ${handleOf(account)}` : 'Disconnected account';
};

const PartChoice = ({
  part,
  name,
  mine,
  theirs,
  who,
  isMine,
  onChoose,
}: {
  part: PartId;
  name: string;
  mine: Draft;
  theirs: Draft;
  who: string;
  /** Undefined if there is nothing to choose. */
  isMine: boolean | undefined;
  onChoose: (isMine: boolean) => void;
}) => {
  const [mineText, theirsText] = [useTextOf(part, mine), useTextOf(part, theirs)];
  const pieces = wordDiff(theirsText, mineText);
  const column = (forMine: boolean, title: string) => (
    <div className={styles.column} data-chosen={isMine === forMine || undefined}>
      {isMine === undefined ? (
        <h4>{title}</h4>
      ) : (
        <Radio
          name={`compare ${keyOf(part)}`}
          label={title}
          checked={isMine === forMine}
          onChange={() => onChoose(forMine)}
        />
      )}
      <p className={styles.text} dir="auto">
        {pieces.map(({ kind, text }, index) => {
          const key = `${index} ${kind}`;
          if (kind === 'same') return <span key={key}>{text}</span>;
          if ((kind === 'new') !== forMine) return null;
          return forMine ? <ins key={key}>{text}</ins> : <b key={key}>{text}</b>;
        })}
      </p>
    </div>
  );
  return (
    <section className={styles.part} aria-label={name}>
      <h3>{name}</h3>
      <div className={styles.columns}>
        {column(true, 'Mine')}
        {column(false, who === 'You' || who === 'Someone' ? 'Theirs' : who)}
      </div>
    </section>
  );
};

/** What the part says, as text. */
const useTextOf = (part: PartId, draft: Draft): string => {
  const zone = useZone();
  const { accounts } = useEditor();
  if (part === 'rest') {
    const names = draft.accountIds.map((id) => {
      const account = accounts.find((one) => one.id === id);
      return account ? `${account.provider} ${handleOf(account)}` : 'a disconnected account';
    });
    const to = names.length === 0 ? 'No account' : `To ${joinWithAnd(names)}`;
    return draft.scheduledAt === undefined ? `${to}. No time.` : `${to}. At ${formatSaid(draft.scheduledAt, zone)}.`;
  }
  if (part === 'original') return textOfSide(draft.original);
  const own = draft.own[part.accountId];
  if (own === undefined) return 'The same as the original.';
  const items = own.items && sideOf(draft, part.accountId).items;
  return textOfSide({ items: items ?? [], options: own.options }, items === undefined);
};

const textOfSide = ({ items, options }: Side, isOriginalText = false) => {
  const files = items.reduce((sum, { media }) => sum + media.length, 0);
  const settings = Object.keys(options).length;
  return [
    isOriginalText ? 'The text of the original.' : items.map(({ body }) => body).join('\n\n'),
    [...(files > 0 ? [count(files, 'file')] : []), ...(settings > 0 ? [count(settings, 'option')] : [])].join(', '),
  ]
    .filter((line) => line !== '')
    .join('\n\n');
};
