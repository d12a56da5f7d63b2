import { useQuery } from '@tanstack/react-query';
import type { ApprovalCard, Post } from '#generated/app-client';
import { countText } from '#server/networks/counting';
import { handleOf } from '#web/networks.ts';
import { NetworkBadge } from '#web/parts/network-badge.tsx';
import { formatNumber } from '#web/parts/number.ts';
import { queries } from '#web/queries.ts';
import styles from './card.module.css';
import { DiffText } from './diff-text.tsx';
import { type Item, type TextGroup, textGroups, textOf } from './text-groups.ts';

type Account = ApprovalCard['accounts'][number];

/** What goes out, by identical text. With `now` each text is compared with what it has become. */
export const CardContent = ({ card, now }: { card: ApprovalCard; now?: Pick<Post, 'versions'> | undefined }) => {
  if (card.post === undefined) return null;
  const groups = textGroups(card.post, card.accounts);
  const later = now && textGroups(now, card.accounts);
  return groups.map((group, index) => {
    const [account] = group.accounts;
    const became = later?.find(({ accounts }) => accounts.some(({ id }) => id === account?.id)) ?? later?.[0];
    return (
      <Group
        key={group.accounts.map(({ id }) => id).join()}
        group={group}
        became={became?.content}
        media={card.media}
        linkCards={card.linkCards}
        versions={(now ?? card.post)?.versions ?? []}
        withCounts={index > 0}
      />
    );
  });
};

const Group = ({
  group: { accounts, content, note },
  became,
  media,
  linkCards,
  versions,
  withCounts,
}: {
  group: TextGroup;
  became: Item[] | undefined;
  media: ApprovalCard['media'];
  linkCards: ApprovalCard['linkCards'];
  versions: Post['versions'];
  withCounts: boolean;
}) => {
  const shown = (became ?? content).flatMap((item) => item.media);
  const files = [...new Set(shown)].map((id) => media.find((one) => one.id === id)).filter((one) => one !== undefined);
  const previews = linkCards.filter(
    ({ network, uri }) =>
      accounts.some((account) => account.network === network) && textOf(content).includes(uri.replace('https://', '')),
  );
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
        {previews.map(({ network, uri, title, description }) => (
          <figure key={`${network} ${uri}`} className={styles.linkCard} aria-label="Link card">
            <b dir="auto">{title}</b>
            {description !== '' && <p dir="auto">{description}</p>}
            <span className="small text-2">{uri}</span>
          </figure>
        ))}
        <Options accounts={accounts} versions={versions} media={media} />
        {withCounts && <Counts accounts={accounts} content={content} />}
      </div>
      {files.length > 0 && (
        <ul className={styles.media} aria-label="Media">
          {files.map(({ id, thumbnailUrl, alt, kind }) => (
            <li key={id}>
              <img src={thumbnailUrl} alt={alt || `${kind} without alt text`} title={alt || 'No alt text'} />
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
      // biome-ignore lint/suspicious/noArrayIndexKey: the items of a thread are their places
      <div key={index} className={items > 1 ? styles.item : undefined}>
        {items > 1 && <span className="caption text-3 number">{index + 1}</span>}
        {became ? (
          <DiffText before={before} after={after} />
        ) : (
          <p className={styles.text} dir="auto">
            {before || <i className="text-3">No text</i>}
          </p>
        )}
      </div>
    );
  });
};

/** What is set for these accounts: it decides who sees the post, or is public itself. */
const Options = ({
  accounts,
  versions,
  media,
}: {
  accounts: readonly Account[];
  versions: Post['versions'];
  media: ApprovalCard['media'];
}) => {
  const limits = useQuery(queries.limits).data?.providers ?? [];
  const original = versions.find(({ accountId }) => accountId === undefined);
  const lines = new Map<string, { label: string; value: string; file: ApprovalCard['media'][number] | undefined }>();
  for (const { id, network } of accounts) {
    const set = { ...original?.options, ...versions.find(({ accountId }) => accountId === id)?.options };
    const found = limits.find((one) => one.network === network);
    for (const { key, label, type, choices } of found?.options ?? []) {
      const value = set[key];
      if (value === undefined || value === '') continue;
      const words = choices?.find((choice) => choice.value === value)?.label ?? yesNo(type, value);
      lines.set(`${key} ${value}`, {
        label: `${found?.provider}, ${label}`,
        value: words,
        file: type === 'Media' ? media.find((one) => one.id === value) : undefined,
      });
    }
  }
  if (lines.size === 0) return null;
  return (
    <dl className={styles.options} aria-label="Options">
      {[...lines].map(([key, { label, value, file }]) => (
        <div key={key}>
          <dt className="small text-2">{label}</dt>
          <dd dir="auto">
            {file ? <img src={file.thumbnailUrl} alt={file.alt || `${file.kind} without alt text`} /> : value}
          </dd>
        </div>
      ))}
    </dl>
  );
};

const yesNo = (type: string, value: string) => (type !== 'Boolean' ? value : value === 'true' ? 'Yes' : 'No');

/** `X 97/280 · Bluesky 97/300`: the longest item, as each network counts. */
const Counts = ({ accounts, content }: { accounts: readonly Account[]; content: readonly Item[] }) => {
  const limits = useQuery(queries.limits).data?.providers ?? [];
  const lines = [...new Set(accounts.map(({ network }) => network))].flatMap((network) => {
    const found = limits.find((one) => one.network === network);
    if (!found) return [];
    const { characters } = found.constraints;
    const length = Math.max(...content.map(({ body }) => countText(characters, body)));
    return [`${found.provider} ${formatNumber(length)}/${formatNumber(characters.max)}`];
  });
  return lines.length > 0 && <p className={`number ${styles.counts}`}>{lines.join(' · ')}</p>;
};
