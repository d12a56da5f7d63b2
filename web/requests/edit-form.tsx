import { ActionIcon, Button, Checkbox, Textarea, TextInput } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { ChevronLeft, ChevronRight, X } from 'lucide-react';
import { Fragment } from 'react';
import type { ApprovalCard, ApprovalEdit, Post } from '#generated/app-client';
import { handleOf } from '#web/base/networks.ts';
import { useZone } from '#web/base/session.ts';
import { instantOf, now, wallTime } from '#web/base/time.ts';
import { describeFile, thumbnailOf } from '#web/parts/media-file.ts';
import { Thumbnail } from '#web/parts/thumbnail.tsx';
import { useFormDraft } from '#web/parts/use-form-draft.ts';
import styles from './edit-form.module.css';
import { altOf, targetOf, timeOf, trimEdit } from './edit-of-request.ts';
import { EditOptions } from './edit-options.tsx';

type Version = Post['versions'][number];

/** Edits a request's text, files, options, accounts and time. Nothing is saved before the approval. */
export const EditForm = ({
  card,
  edit,
  onDone,
  onCancel,
}: {
  card: ApprovalCard;
  edit: ApprovalEdit | undefined;
  onDone: (edit: ApprovalEdit | undefined) => void;
  onCancel: () => void;
}) => {
  const zone = useZone();
  const target = targetOf(card);
  const at = timeOf(card);
  const [versions, setVersions] = useFormDraft(
    `versions of ${card.id}`,
    (edit?.versions as Version[] | undefined) ?? target?.versions ?? [],
  );
  const [accountIds, setAccountIds] = useFormDraft(
    `accounts of ${card.id}`,
    edit?.accountIds ?? target?.accountIds ?? [],
  );
  const [alts, setAlts] = useFormDraft(`alternative texts of ${card.id}`, edit?.alts ?? []);
  const [wall, setWall] = useFormDraft(`time of ${card.id}`, at ? toField(edit?.scheduledAt ?? at, zone) : '');
  if (target === undefined) return null;
  const isPast = wall !== '' && Date.parse(instantOf(wall, zone)) <= now().getTime();
  const fault = at && wall === '' ? 'Choose a time.' : isPast ? 'That time has passed. Choose a later one.' : undefined;
  const submit = (event: React.FormEvent) => {
    event.preventDefault();
    if (fault) return;
    // The field only has minutes: unless it was changed, keep the time with its seconds.
    const isMoved = at !== undefined && wall !== toField(at, zone);
    const used = new Set(versions.flatMap(({ content }) => content.flatMap(({ media }) => media)));
    const texts = alts.filter(({ mediaId }) => used.has(mediaId)).map((one) => ({ ...one, alt: one.alt.trim() }));
    const time = isMoved && { scheduledAt: instantOf(wall, zone) };
    onDone(trimEdit(card, { versions, accountIds, alts: texts, ...time }));
  };
  return (
    <form
      className={styles.form}
      aria-label="Edit"
      onSubmit={submit}
      onKeyDown={(event) => {
        if (event.key === 'Escape') onCancel();
        if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) {
          event.stopPropagation();
          submit(event);
        }
      }}
    >
      {card.post && (
        <p className="small text-2">
          For new files, crops, polls and places:{' '}
          <Link to="/posts/$id" params={{ id: card.post.id } as never} search={{ card: card.id } as never}>
            Edit in the editor
          </Link>
          . This request then closes, and you send the post yourself.
        </p>
      )}
      {versions.map((version, index) =>
        isUsed(version, { ...target, accountIds })
          ? version.content.map((item, itemIndex) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: items have no id
              <Fragment key={`${version.accountId} ${itemIndex}`}>
                <Textarea
                  label={labelOf(version, itemIndex, card, versions)}
                  value={item.body}
                  onChange={({ currentTarget: { value } }) => setVersions(withBody(versions, index, itemIndex, value))}
                  autosize
                  minRows={2}
                  maxRows={14}
                  dir="auto"
                  autoFocus={index === 0 && itemIndex === 0}
                />
                <Files
                  ids={item.media}
                  card={card}
                  altOf={(id) => alts.find(({ mediaId }) => mediaId === id)?.alt ?? altOf(card, id)}
                  onAlt={(id, alt) => setAlts([...alts.filter(({ mediaId }) => mediaId !== id), { mediaId: id, alt }])}
                  onChange={(media) => setVersions(withMedia(versions, index, itemIndex, media))}
                />
              </Fragment>
            ))
          : [],
      )}
      <EditOptions card={card} versions={versions} accountIds={accountIds} onChange={setVersions} />
      {target.accountIds.length > 1 && (
        <Checkbox.Group
          label="Goes to"
          value={[...accountIds]}
          onChange={(ids) => ids.length > 0 && setAccountIds(ids)}
        >
          <div className={styles.accounts}>
            {card.accounts
              .filter(({ id }) => target.accountIds.includes(id))
              .map((account) => (
                <Checkbox key={account.id} value={account.id} label={`${account.provider}, ${handleOf(account)}`} />
              ))}
          </div>
        </Checkbox.Group>
      )}
      {at !== undefined && (
        <TextInput
          type="datetime-local"
          label="Goes out"
          value={wall}
          onChange={(event) => setWall(event.currentTarget.value)}
          error={fault}
          w={240}
        />
      )}
      <div className={styles.foot}>
        <Button variant="quiet" onClick={onCancel}>
          Cancel
        </Button>
        <Button variant="ink" type="submit">
          Use my edit
        </Button>
      </div>
    </form>
  );
};

const Files = ({
  ids,
  card: { media },
  altOf,
  onAlt,
  onChange,
}: {
  ids: readonly string[];
  card: ApprovalCard;
  altOf: (id: string) => string;
  onAlt: (id: string, alt: string) => void;
  onChange: (ids: string[]) => void;
}) => {
  if (ids.length === 0) return null;
  const swap = (one: number, other: number) =>
    onChange(ids.map((id, at) => (at === one ? (ids[other] ?? id) : at === other ? (ids[one] ?? id) : id)));
  return (
    <ul className={styles.files} aria-label="Files">
      {ids.map((id, at) => {
        const file = media.find((one) => one.id === id);
        const name = `${file?.kind ?? 'File'} ${at + 1}`;
        return (
          <li key={id}>
            <Thumbnail url={thumbnailOf(id)} kind={file?.kind} size={64} />
            <span className="hidden">{file && describeFile(file)}</span>
            {file?.kind !== 'Document' && (
              <Textarea
                className={styles.alt}
                label={`Alternative text of ${name}`}
                description="Every post with this file gets it."
                placeholder="What it shows"
                value={altOf(id)}
                onChange={(event) => onAlt(id, event.currentTarget.value)}
                autosize
                minRows={1}
                maxRows={6}
                maxLength={2000}
                dir="auto"
              />
            )}
            <span className={styles.tools}>
              {at > 0 && (
                <ActionIcon size={28} aria-label={`Move ${name} left`} onClick={() => swap(at, at - 1)}>
                  <ChevronLeft size={15} aria-hidden="true" />
                </ActionIcon>
              )}
              {at < ids.length - 1 && (
                <ActionIcon size={28} aria-label={`Move ${name} right`} onClick={() => swap(at, at + 1)}>
                  <ChevronRight size={15} aria-hidden="true" />
                </ActionIcon>
              )}
              <ActionIcon
                size={28}
                aria-label={`Remove ${name}`}
                onClick={() => onChange(ids.filter((one) => one !== id))}
              >
                <X size={15} aria-hidden="true" />
              </ActionIcon>
            </span>
          </li>
        );
      })}
    </ul>
  );
};

const toField = (at: string, zone: string) => wallTime(at, zone).slice(0, 16).replace(' ', 'T');

const withBody = (versions: readonly Version[], index: number, itemIndex: number, body: string) =>
  versions.map((version, at) =>
    at === index
      ? { ...version, content: version.content.map((item, i) => (i === itemIndex ? { ...item, body } : item)) }
      : version,
  );

const withMedia = (versions: readonly Version[], index: number, itemIndex: number, media: string[]) =>
  versions.map((version, at) =>
    at === index
      ? { ...version, content: version.content.map((item, i) => (i === itemIndex ? { ...item, media } : item)) }
      : version,
  );

/** The original is unused if every account has its own version. */
const isUsed = ({ accountId }: Version, { accountIds, versions }: Post) =>
  (accountId !== undefined && accountIds.includes(accountId)) ||
  (accountId === undefined &&
    (accountIds.length === 0 || accountIds.some((id) => versions.every((version) => version.accountId !== id))));

const labelOf = ({ accountId, content }: Version, item: number, { accounts }: ApprovalCard, versions: Version[]) => {
  const account = accounts.find(({ id }) => id === accountId);
  const whose = account
    ? `Text for ${account.provider}, ${handleOf(account)}`
    : versions.length > 1
      ? 'Text for the others'
      : 'Text';
  return content.length > 1 ? `${whose}, part ${item + 1}` : whose;
};
