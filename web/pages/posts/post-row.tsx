import { ActionIcon, Menu } from '@mantine/core';
import {
  Activity,
  Copy,
  Ellipsis,
  EllipsisVertical,
  List as ListIcon,
  SquareCheck,
  SquarePen,
  Stamp,
  Tag,
  Trash2,
  TriangleAlert,
} from 'lucide-react';
import { memo } from 'react';
import type { PostSummary, SelectedPost } from '#generated/app-client';
import { useNetworks } from '#web/base/networks.ts';
import { addDays, dateIn, formatDateTime, formatNear, formatSaid, formatTime, now, partsIn } from '#web/base/time.ts';
import { useActLabel } from '#web/parts/approval-requests.ts';
import { capitalize } from '#web/parts/capitalize.ts';
import { Engagement } from '#web/parts/engagement.tsx';
import { describeBlocked } from '#web/parts/forecast.tsx';
import { Kbd } from '#web/parts/kbd.tsx';
import { LabelChips } from '#web/parts/label-chip.tsx';
import { ListRow } from '#web/parts/list.tsx';
import { NetworkBadges } from '#web/parts/network-badge.tsx';
import { formatNumber } from '#web/parts/number.ts';
import { PostTitle, titleOf } from '#web/parts/post-title.tsx';
import { Chip, StateChip, StateIcon, stateOf } from '#web/parts/state-chip.tsx';
import { Thumbnail } from '#web/parts/thumbnail.tsx';
import { useAccounts } from '#web/parts/use-accounts.ts';
import styles from './posts.module.css';

export interface RowActions {
  open: (post: PostSummary) => void;
  duplicate: (post: PostSummary) => void;
  remove: (post: PostSummary) => void;
  label: (post: PostSummary) => void;
  select: (id: string, isRange: boolean) => void;
  openMenu: (id: string | undefined) => void;
}

/** Memoized, and without queries of its own: the list can have thousands of rows. */
export const PostRow = memo(
  ({
    post,
    zone,
    isPhone,
    isWaiting,
    isSelected,
    isMenuOpen,
    canWrite,
    networksOf,
    actions,
  }: {
    post: PostSummary;
    zone: string;
    /** Unused but compared by memo: names such as Tomorrow change with the date. */
    today: string;
    isPhone: boolean;
    isWaiting: boolean;
    isSelected: boolean;
    isMenuOpen: boolean;
    canWrite: boolean;
    networksOf: (accountIds: readonly string[]) => readonly string[];
    actions: RowActions;
  }) => {
    const badges = <NetworkBadges networks={networksOf(post.accountIds)} max={isPhone ? 5 : 6} />;
    const when = <time {...timeOf(post, zone)} />;
    return (
      <ListRow
        id={post.id}
        link={{ to: '/posts/$id', params: { id: post.id } }}
        selected={isSelected}
        lead={<Lead post={post} isSelected={isSelected} canWrite={canWrite} onSelect={actions.select} />}
        title={<PostTitle text={post.text} />}
        tail={<Oddities post={post} isWaiting={isWaiting} isPhone={isPhone} />}
        note={
          isPhone && (
            <span className={styles.note}>
              {post.accountIds.length > 0 && badges} {when} <Labels post={post} max={1} />
            </span>
          )
        }
        side={
          isPhone ? (
            post.thumbnail && <Thumbnail {...post.thumbnail} />
          ) : (
            <>
              <span className={styles.thumbnail}>{post.thumbnail && <Thumbnail {...post.thumbnail} />}</span>
              <span className={styles.badges}>{badges}</span>
              <span className={styles.when}>{when}</span>
              <span className={`number ${styles.engagement}`}>
                <Engagement post={post}>
                  {(engagement) => (
                    <>
                      <Activity size={14} aria-hidden="true" />
                      <span className="hidden">Engagement</span> {formatNumber(engagement)}
                    </>
                  )}
                </Engagement>
              </span>
            </>
          )
        }
        menu={<RowMenu post={post} isPhone={isPhone} isOpen={isMenuOpen} canWrite={canWrite} actions={actions} />}
      />
    );
  },
);

/** The state; on hover, on focus or while posts are selected, a checkbox. */
const Lead = ({
  post,
  isSelected,
  canWrite,
  onSelect,
}: {
  post: PostSummary;
  isSelected: boolean;
  canWrite: boolean;
  onSelect: RowActions['select'];
}) => {
  const icon = <StateIcon state={stateOf(post)} />;
  if (!canWrite) return icon;
  return (
    <span className={styles.pick}>
      <span className={styles.state}>{icon}</span>
      <input
        type="checkbox"
        className={styles.box}
        aria-label={`Select ${titleOf(post.text) || 'the empty draft'}`}
        checked={isSelected}
        onChange={({ nativeEvent }) => onSelect(post.id, (nativeEvent as unknown as MouseEvent).shiftKey)}
      />
    </span>
  );
};

/** Chips for unusual states only. */
const Oddities = ({ post, isWaiting, isPhone }: { post: PostSummary; isWaiting: boolean; isPhone: boolean }) => {
  const state = stateOf(post);
  const blocked = describeBlocked(post);
  return (
    <>
      {post.items > 1 && (
        <span className={`number ${styles.items}`}>
          <ListIcon size={14} aria-hidden="true" />
          <span className="hidden">Items</span> {post.items}
        </span>
      )}
      {!isPhone && isWaiting && (
        <Chip tone="brass" icon={Stamp}>
          Approval requested
        </Chip>
      )}
      {blocked !== undefined && (
        <Chip tone="orange" icon={TriangleAlert}>
          {blocked}
        </Chip>
      )}
      {!isPhone && state === 'Publishing' && <StateChip state="Publishing" />}
      {!isPhone && (state === 'Failed' || state === 'Uncertain') && <TroubleChip post={post} state={state} />}
      {!isPhone && <Labels post={post} max={2} />}
    </>
  );
};

/** `Bluesky failed`, `2 of 5 uncertain` */
const TroubleChip = ({ post, state }: { post: PostSummary; state: 'Failed' | 'Uncertain' }) => {
  const { byId, absentName } = useAccounts();
  const networks = useNetworks();
  const troubles = post.results.filter(({ ok }) => !ok);
  const [first] = troubles;
  if (first === undefined) return null;
  const account = byId.get(first.accountId);
  const name = account === undefined ? capitalize(absentName) : networks.of(account.network).name;
  return (
    <StateChip state={state}>
      {troubles.length === 1 ? name : `${troubles.length} of ${post.results.length}`} {state.toLowerCase()}
    </StateChip>
  );
};

const Labels = ({ post: { labelIds }, max }: { post: PostSummary; max: number }) =>
  labelIds.length > 0 && <LabelChips ids={labelIds} max={max} />;

/** Menus are expensive to render, so only the open one is mounted. */
const RowMenu = ({
  post,
  isPhone,
  isOpen,
  canWrite,
  actions,
}: {
  post: PostSummary;
  isPhone: boolean;
  isOpen: boolean;
  canWrite: boolean;
  actions: RowActions;
}) => {
  const Icon = isPhone ? EllipsisVertical : Ellipsis;
  const button = (
    <ActionIcon
      size={isPhone ? 40 : 30}
      aria-label={`Actions for ${titleOf(post.text) || 'the empty draft'}`}
      aria-haspopup="menu"
      onClick={() => actions.openMenu(isOpen ? undefined : post.id)}
    >
      <Icon size={18} aria-hidden="true" />
    </ActionIcon>
  );
  if (!isOpen) return button;
  return <OpenMenu post={post} button={button} canWrite={canWrite} actions={actions} />;
};

const OpenMenu = ({
  post,
  button,
  canWrite,
  actions,
}: {
  post: PostSummary;
  button: React.ReactElement;
  canWrite: boolean;
  actions: RowActions;
}) => {
  const label = useActLabel();
  return (
    <Menu opened onChange={(opened) => opened || actions.openMenu(undefined)} withinPortal width={210} returnFocus>
      <Menu.Target>{button}</Menu.Target>
      <Menu.Dropdown>
        <Menu.Item
          leftSection={<SquarePen size={16} />}
          rightSection={<Kbd keys="↵" />}
          onClick={() => actions.open(post)}
        >
          Open
        </Menu.Item>
        {canWrite && (
          <Menu.Item
            leftSection={<Copy size={16} />}
            rightSection={<Kbd keys="D" />}
            onClick={() => actions.duplicate(post)}
          >
            Duplicate
          </Menu.Item>
        )}
        {canWrite && (
          <Menu.Item
            leftSection={<SquareCheck size={16} />}
            rightSection={<Kbd keys="X" />}
            onClick={() => actions.select(post.id, false)}
          >
            Select
          </Menu.Item>
        )}
        {canWrite && (
          <Menu.Item leftSection={<Tag size={16} />} onClick={() => actions.label(post)}>
            Labels
          </Menu.Item>
        )}
        {canWrite && isDeletable(post) && (
          <Menu.Item
            color="var(--red)"
            leftSection={<Trash2 size={16} />}
            rightSection={<Kbd keys="⌫" />}
            onClick={() => actions.remove(post)}
          >
            {label('Delete', { isFree: post.status !== 'Scheduled' })}
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  );
};

export const isDeletable = ({ status }: Pick<SelectedPost, 'status'>) =>
  status !== 'Publishing' && status !== 'Published';

/** `Today 18:00`, `Edited Mon`, `Planned Thu 19 Nov, 08:30`, `2 of 3 sent` */
const timeOf = (post: PostSummary, zone: string) => {
  const { status, scheduledAt, publishedAt, updatedAt, results, accountIds } = post;
  const sentCount = results.filter(({ ok }) => ok).length;
  const isWish = status === 'Draft' && scheduledAt !== undefined && Date.parse(scheduledAt) > now().getTime();
  const at = status === 'Draft' && !isWish ? updatedAt : (publishedAt ?? scheduledAt ?? updatedAt);
  const children =
    status === 'Draft' && !isWish
      ? `Edited ${formatRecent(updatedAt, zone)}`
      : status === 'Publishing'
        ? `${sentCount} of ${accountIds.length} sent`
        : isWish
          ? `Planned ${formatSaid(at, zone)}`
          : formatNear(at, zone);
  return { dateTime: at, title: `${formatDateTime(at, zone)} (${zone})`, children };
};

/** `14:02` today, `Mon` this week, else `3 Nov`. */
const formatRecent = (at: string, zone: string) => {
  const today = dateIn(now(), zone);
  const date = dateIn(at, zone);
  if (date === today) return formatTime(at, zone);
  return date > addDays(today, -7) ? partsIn(at, zone).weekday : formatDateTime(at, zone).replace(/^\w+ |,.*$/g, '');
};
