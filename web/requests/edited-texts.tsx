import type { ApprovalCard, ApprovalEdit } from '#generated/app-client';
import { handleOf } from '#web/base/networks.ts';
import { DiffText } from '#web/parts/diff-text.tsx';
import { joinWithAnd } from '#web/parts/join-names.ts';
import { thumbnailOf } from '#web/parts/media-file.ts';
import { Thumbnail } from '#web/parts/thumbnail.tsx';
import styles from './card.module.css';
import { Options } from './card-content.tsx';
import { altOf, targetOf, withEdit } from './edit-of-request.ts';

/** Each text that the edit changes, word by word. */
export const EditedTexts = ({ card, edit }: { card: ApprovalCard; edit: ApprovalEdit }) => {
  const before = targetOf(card)?.versions ?? [];
  return (edit.versions ?? []).flatMap((version, index) =>
    version.content.flatMap(({ body }, item) => {
      const was = before[index]?.content[item]?.body ?? '';
      if (was === body) return [];
      // biome-ignore lint/suspicious/noArrayIndexKey: items have no id
      return [<DiffText key={`${version.accountId} ${item}`} before={was} after={body} className={styles.text} />];
    }),
  );
};

/** Each alternative text that the edit changes. */
export const EditedAlts = ({ alts }: { alts: readonly { mediaId: string; before: string; alt: string }[] }) =>
  alts.map(({ mediaId, before, alt }) => (
    <div key={mediaId} className={styles.alt}>
      <Thumbnail url={thumbnailOf(mediaId)} size={40} />
      <div>
        <p className="small text-3">Alternative text</p>
        <DiffText before={before} after={alt} />
      </div>
    </div>
  ));

/** What the edit changes beside the texts: alternative texts, options, accounts and files. */
export const OtherEdits = ({ card, edit }: { card: ApprovalCard; edit: ApprovalEdit }) => {
  const target = targetOf(card);
  const edited = withEdit(card, edit);
  return (
    <>
      <EditedAlts alts={(edit.alts ?? []).map((one) => ({ ...one, before: altOf(card, one.mediaId) }))} />
      {edit.versions && target && edited && (
        <Options
          postId={target.id}
          accounts={card.accounts.filter(({ id }) => edited.accountIds.includes(id))}
          versions={edited.versions}
          before={target}
          media={card.media}
          isDifferenceOnly
        />
      )}
      <LeftOut card={card} edit={edit} />
    </>
  );
};

/** Accounts that the edit takes out, and files that it moves or takes out. */
const LeftOut = ({ card, edit }: { card: ApprovalCard; edit: ApprovalEdit }) => {
  const target = targetOf(card);
  const accounts = card.accounts.filter(
    ({ id }) => target?.accountIds.includes(id) && edit.accountIds?.includes(id) === false,
  );
  const filesOf = (versions: ApprovalEdit['versions']) =>
    (versions ?? []).flatMap(({ content }) => content.flatMap(({ media = [] }) => media));
  const [before, after] = [filesOf(target?.versions), filesOf(edit.versions ?? target?.versions)];
  const removed = before.length - after.length;
  const words = [
    ...(accounts.length > 0
      ? [`Not to ${joinWithAnd(accounts.map((one) => `${one.provider} (${handleOf(one)})`))}.`]
      : []),
    ...(removed > 0 ? [removed === 1 ? 'Without one file.' : `Without ${removed} files.`] : []),
    ...(removed === 0 && before.join() !== after.join() ? ['The files in another order.'] : []),
  ];
  return words.length > 0 && <p className="small">{words.join(' ')}</p>;
};
