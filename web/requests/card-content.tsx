import { useQuery } from '@tanstack/react-query';
import type { ApprovalCard, Post } from '#generated/app-client';
import { countText } from '#server/networks/counting';
import { app } from '#web/base/api.ts';
import { handleOf } from '#web/base/networks.ts';
import { keys, queries } from '#web/base/queries.ts';
import { DiffText } from '#web/parts/diff-text.tsx';
import { extrasFor } from '#web/parts/extras.ts';
import { ExtrasView } from '#web/parts/extras-view.tsx';
import { FileImage, filesFor } from '#web/parts/file-image.tsx';
import { LinkCardView, linkCardsIn } from '#web/parts/link-card.tsx';
import { NetworkBadge } from '#web/parts/network-badge.tsx';
import { formatNumber } from '#web/parts/number.ts';
import { isIdOption, nameOfValue } from '#web/parts/option-value.ts';
import { Skeleton } from '#web/parts/skeleton-rows.tsx';
import styles from './card.module.css';
import { type Item, type TextGroup, textGroups, textOf } from './text-groups.ts';

type Account = ApprovalCard['accounts'][number];

type Content = Pick<Post, 'versions' | 'accountIds'>;

/** What goes out, grouped by identical text. With `now`, each text is diffed against it. */
export const CardContent = ({ card, now }: { card: ApprovalCard; now?: Content | undefined }) => {
  if (card.post === undefined) return null;
  const current = now ?? card.post;
  const accounts = card.accounts.filter(({ id }) => current.accountIds.includes(id));
  return textGroups(card.post, accounts, now).map((group, index) => (
    <Group
      key={group.accounts.map(({ id }) => id).join()}
      group={group}
      card={card}
      extras={extrasFor(current.versions, group.accounts)}
      versions={current.versions}
      before={now && card.post}
      withCounts={index > 0}
    />
  ));
};

const Group = ({
  group: { accounts, content, became, note },
  card: { post, media, fitted, linkCards },
  extras,
  versions,
  before,
  withCounts,
}: {
  group: TextGroup;
  card: ApprovalCard;
  extras: ReturnType<typeof extrasFor>;
  versions: Post['versions'];
  before: Content | undefined;
  withCounts: boolean;
}) => {
  const current = (became ?? content).flatMap((item) => item.media);
  const files = filesFor(
    current,
    accounts.map(({ id }) => id),
    media,
    (accountId, mediaId) => fitted.find((one) => one.accountId === accountId && one.mediaId === mediaId)?.media,
  );
  const networks = [...new Set(accounts.map(({ network }) => network))];
  const previews = networks.flatMap((network) => linkCardsIn(linkCards, network, textOf(became ?? content)));
  return (
    <section className={styles.group}>
      <div className={styles.words}>
        <p className={styles.who}>
          <span className={styles.badges}>
            {accounts.map((account) => (
              <NetworkBadge key={account.id} network={account.network} />
            ))}
          </span>
          <span className="small text-2">
            {accounts.length === 1 && accounts[0] ? handleOf(accounts[0]) : ''}
            {accounts.length === 1 && note !== '' && ' · '}
            {note}
          </span>
        </p>
        <Texts content={content} became={became} />
        {previews.map((card) => (
          <LinkCardView key={`${card.network} ${card.uri}`} card={card} />
        ))}
        {extras.map(({ networks, ...added }) => (
          <div key={networks.join()} className={styles.extras}>
            {accounts.length > networks.length &&
              networks.map((network) => <NetworkBadge key={network} network={network} />)}
            <ExtrasView {...added} />
          </div>
        ))}
        <Options postId={post?.id ?? ''} accounts={accounts} versions={versions} before={before} media={media} />
        {withCounts && <Counts accounts={accounts} content={became ?? content} />}
      </div>
      {files.length > 0 && (
        <ul className={styles.media} aria-label="Media">
          {files.map(({ file, original }) => (
            <li key={file.id}>
              <FileImage file={file} original={original} />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
};

const Texts = ({ content, became }: { content: Item[]; became: Item[] | undefined }) => {
  const items = Math.max(content.length, became?.length ?? 0);
  return Array.from({ length: items }, (_, index) => {
    const [before, after] = [content[index]?.body ?? '', became?.[index]?.body ?? ''];
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: items have no id
      <div key={index} className={items > 1 ? styles.item : undefined}>
        {items > 1 && <span className="caption text-3 number">{index + 1}</span>}
        {became ? (
          <DiffText before={before} after={after} className={styles.text} />
        ) : (
          <p className={styles.text} dir="auto">
            {before || <i className="text-3">No text</i>}
          </p>
        )}
      </div>
    );
  });
};

interface OptionLine {
  readonly label: string;
  readonly value: React.ReactNode;
  /** The previous value, if the request changes it. */
  readonly was: React.ReactNode;
  readonly file: ApprovalCard['media'][number] | undefined;
}

/** Options matter to the approver: they decide who sees the post, or are public themselves. */
export const Options = ({
  postId,
  accounts,
  versions,
  before,
  media,
  isDifferenceOnly = false,
}: {
  postId: string;
  accounts: readonly Account[];
  versions: Post['versions'];
  before: Content | undefined;
  media: ApprovalCard['media'];
  isDifferenceOnly?: boolean;
}) => {
  const limits = useQuery(queries.limits).data?.providers ?? [];
  const isSet = versions.some(({ options }) => Object.keys(options).length > 0);
  // Loads the labels of choices that are specific to the account, such as its boards.
  const { data: view, isLoading } = useQuery({
    queryKey: keys.editor(postId),
    queryFn: ({ signal }) => app.viewForEditor({ id: postId }, { signal }),
    enabled: isSet,
  });
  const lines = new Map<string, OptionLine>();
  for (const { id, network } of accounts) {
    // A newly added account has nothing to compare with.
    const earlier = before?.accountIds.includes(id) ? before.versions : versions;
    const [set, wasSet] = [optionsFor(versions, id), optionsFor(earlier, id)];
    const own = view?.accounts.find(({ accountId }) => accountId === id)?.choices;
    const provider = limits.find((one) => one.network === network);
    for (const option of provider?.options ?? []) {
      const { key, label, type, choices } = option;
      const [value = '', was = ''] = [set[key], wasSet[key]];
      if ((value === '' && was === '') || isShownApart(key, type) || (isDifferenceOnly && value === was)) continue;
      const named = [...(own?.[key] ?? []), ...(choices ?? [])];
      const labelOf = (one: string) => {
        if (one === '') return 'not set';
        if (isLoading && isIdOption(option)) return <Skeleton width={96} />;
        return type === 'Boolean' ? yesNo(one) : nameOfValue(option, named, one);
      };
      lines.set(`${key} ${value}`, {
        label: `${provider?.provider}, ${label}`,
        value: labelOf(value),
        was: was === value || type === 'Media' ? undefined : labelOf(was),
        file: type === 'Media' ? media.find((one) => one.id === value) : undefined,
      });
    }
  }
  if (lines.size === 0) return null;
  return (
    <dl className={styles.options} aria-label="Options">
      {[...lines].map(([key, { label, value, was, file }]) => (
        <div key={key}>
          <dt className="small text-2">{label}</dt>
          <dd dir="auto">
            {was !== undefined && (
              <>
                <del>{was}</del>{' '}
              </>
            )}
            {file ? <FileImage file={file} original={file} /> : was === undefined ? value : <ins>{value}</ins>}
          </dd>
        </div>
      ))}
    </dl>
  );
};

const optionsFor = (versions: Post['versions'], id: string): Readonly<Record<string, string>> => ({
  ...versions.find(({ accountId }) => accountId === undefined)?.options,
  ...versions.find(({ accountId }) => accountId === id)?.options,
});

/** Polls and quotes are shown below the text; the coordinates of a focus point say nothing to a reader. */
const isShownApart = (key: string, type: string) =>
  type === 'Poll' || type === 'Focus' || /\.(quote|text_attachment|first_comment)$/.test(key);

const yesNo = (value: string) => (value === 'true' ? 'Yes' : 'No');

/** `X 97/280 · Bluesky 97/300` for the longest item. */
const Counts = ({ accounts, content }: { accounts: readonly Account[]; content: readonly Item[] }) => {
  const limits = useQuery(queries.limits).data?.providers ?? [];
  const lines = [...new Set(accounts.map(({ network }) => network))].flatMap((network) => {
    const provider = limits.find((one) => one.network === network);
    if (!provider) return [];
    const { characters } = provider.constraints;
    const length = Math.max(...content.map(({ body }) => countText(characters, body)));
    return [`${provider.provider} ${formatNumber(length)}/${formatNumber(characters.max)}`];
  });
  return lines.length > 0 && <p className={`number ${styles.counts}`}>{lines.join(' · ')}</p>;
};
