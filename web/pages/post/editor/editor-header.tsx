import { ActionIcon, Button, Menu, Tooltip } from '@mantine/core';
import { ChevronDown, Clock, Copy, Ellipsis, History, LayoutTemplate, Link, Tag, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { usePermissions, useZone } from '#web/base/session.ts';
import { usePostLabels } from '#web/pages/post/post-labels.tsx';
import { SideButton } from '#web/pages/post/review/review-panel.tsx';
import { ShareDialog } from '#web/pages/post/review/share-dialog.tsx';
import { useSide } from '#web/pages/post/review/use-side.ts';
import { useActLabel } from '#web/parts/approval-requests.ts';
import { ConfirmDialog } from '#web/parts/confirm-dialog.tsx';
import { formatShort } from '#web/parts/format-short.ts';
import { PageHeader } from '#web/parts/page-header.tsx';
import { PostStateChip, StateChip, StateIcon, stateOf } from '#web/parts/state-chip.tsx';
import { useIsPhone } from '#web/parts/use-is-phone.ts';
import { usePageSearch } from '#web/parts/use-page-search.ts';
import { titleOf } from './draft.ts';
import styles from './editor-header.module.css';
import { OpenBy } from './open-by.tsx';
import { PublishDialog } from './publish-dialog.tsx';
import { SaveLine } from './save-line.tsx';
import { ScheduleDialog } from './schedule-dialog.tsx';
import { useEditor } from './use-editor.ts';
import { useIsNarrow } from './use-is-narrow.ts';
import type { PostActions } from './use-post-actions.ts';
import type { Sending } from './use-sending.ts';
import type { Templating } from './use-templating.ts';

export const EditorHeader = ({
  actions,
  sending,
  templating,
}: {
  actions: PostActions;
  sending: Sending;
  templating: Templating;
}) => {
  const { save, readOnly } = useEditor();
  const isPhone = useIsPhone();
  const isNarrow = useIsNarrow();
  const { base } = save;
  const [search] = usePageSearch<'card'>();
  return (
    <>
      <PageHeader
        crumb={
          search.card
            ? { label: 'The request', link: { to: '/approvals/$id', params: { id: search.card } } as never }
            : { label: 'Posts', link: { to: '/posts' } }
        }
        title={titleOf(save.draft) || (base ? 'Empty draft' : 'New post')}
        chip={
          !isPhone && (
            <>
              <span className={styles.chip}>{base ? <PostStateChip post={base} /> : <StateChip state="Draft" />}</span>
              <span className={styles.chipIcon}>
                <StateIcon state={base ? stateOf(base) : 'Draft'} />
              </span>
            </>
          )
        }
        meta={!readOnly && <SaveLine />}
        actions={
          <>
            {isPhone && !readOnly && <SaveLine short />}
            {base && <OpenBy postId={base.id} />}
            {base && <SideButton postId={base.id} />}
            {!readOnly && <PostMenu actions={actions} templating={templating} />}
            {!isPhone && !readOnly && (
              <>
                {!isNarrow && <PublishButton sending={sending} />}
                {base?.status !== 'Failed' && <ScheduleButton sending={sending} />}
              </>
            )}
          </>
        }
      />
      <PublishDialog actions={actions} sending={sending} />
    </>
  );
};

const PostMenu = ({ actions, templating }: { actions: PostActions; templating: Templating }) => {
  const { save, saver } = useEditor();
  const isPhone = useIsPhone();
  const { openSide } = useSide();
  const { canOnlyAsk } = usePermissions();
  const label = useActLabel();
  const [deleting, setDeleting] = useState(false);
  const [sharing, setSharing] = useState(false);
  const labels = usePostLabels(save.base?.id, async () => (await saver.settle())?.id);
  const isDraft = save.base === undefined || save.base.status === 'Draft';
  const isScheduled = save.base?.status === 'Scheduled';
  return (
    <>
      <Menu>
        <Menu.Target>
          <ActionIcon aria-label="More" size={isPhone ? 40 : 32}>
            <Ellipsis size={18} aria-hidden="true" />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item
            leftSection={<Tag size={15} aria-hidden="true" />}
            rightSection={<span className={`one-line caption text-3 ${styles.labels}`}>{labels.names}</span>}
            onClick={labels.open}
          >
            Labels
          </Menu.Item>
          <Menu.Item
            leftSection={<Copy size={15} aria-hidden="true" />}
            disabled={save.base === undefined}
            onClick={actions.duplicate}
          >
            Duplicate
          </Menu.Item>
          <Menu.Item leftSection={<LayoutTemplate size={15} aria-hidden="true" />} onClick={templating.choose}>
            Insert template
          </Menu.Item>
          <Menu.Item leftSection={<LayoutTemplate size={15} aria-hidden="true" />} onClick={templating.keep}>
            Save as template
          </Menu.Item>
          {save.base && (
            <>
              <Menu.Item leftSection={<History size={15} aria-hidden="true" />} onClick={() => openSide('history')}>
                History
              </Menu.Item>
              <Menu.Item leftSection={<Link size={15} aria-hidden="true" />} onClick={() => setSharing(true)}>
                Share for review
              </Menu.Item>
            </>
          )}
          <Menu.Item
            leftSection={<Trash2 size={15} aria-hidden="true" />}
            color="var(--red)"
            onClick={() => (isDraft ? actions.removeDraft() : setDeleting(true))}
          >
            Delete
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {labels.dialog}
      {save.base && <ShareDialog postId={save.base.id} opened={sharing} onClose={() => setSharing(false)} />}
      <ConfirmDialog
        opened={deleting}
        onClose={() => setDeleting(false)}
        title={isScheduled ? `${label('Delete this scheduled post')}?` : 'Delete this post?'}
        act={label('Delete post', { isFree: !isScheduled })}
        kind="danger"
        onConfirm={actions.remove}
      >
        {!isScheduled
          ? 'What is already on a network stays there. Its numbers are deleted here. It stays in the bin for 30 days.'
          : canOnlyAsk
            ? 'It goes out as planned until somebody approves that.'
            : 'It will not go out. It stays in the bin for 30 days.'}
      </ConfirmDialog>
    </>
  );
};

/** Disabled buttons stay focusable and explain why. */
const Blockable = ({ reason, children }: { reason: string | undefined; children: React.ReactElement }) => (
  <Tooltip label={reason} disabled={reason === undefined} events={{ hover: true, focus: true, touch: true }}>
    {children}
  </Tooltip>
);

/** The main button of a failed post, which cannot be scheduled; otherwise secondary. */
export const PublishButton = ({ sending, wide = false }: { sending: Sending; wide?: boolean }) => {
  const { save } = useEditor();
  const label = useActLabel();
  return (
    <Blockable reason={sending.blockReason}>
      <Button
        aria-disabled={sending.blockReason !== undefined || undefined}
        variant={save.base?.status === 'Failed' ? 'send' : 'default'}
        size={wide ? 'xl' : 'sm'}
        style={{ flex: wide ? 1 : undefined }}
        onClick={sending.openPublishDialog}
      >
        {label('Publish now')}
      </Button>
    </Blockable>
  );
};

/** Shows the planned time; the arrow opens the panel. */
export const ScheduleButton = ({ sending, wide = false }: { sending: Sending; wide?: boolean }) => {
  const { save } = useEditor();
  const zone = useZone();
  const { plannedFor, blockReason } = sending;
  const isScheduled = save.base?.status === 'Scheduled';
  const when = plannedFor === undefined ? '' : ` · ${formatShort(plannedFor, zone)}`;
  const actLabel = useActLabel();
  const label = isScheduled ? actLabel('Reschedule') : `${actLabel('Schedule')}${when}`;
  const look = isScheduled ? 'default' : 'send';
  return (
    <ScheduleDialog sending={sending}>
      <span className={styles.split} data-wide={wide || undefined}>
        <Blockable reason={blockReason}>
          <Button
            variant={look}
            size={wide ? 'xl' : 'sm'}
            className={styles.main}
            leftSection={<Clock size={16} aria-hidden="true" />}
            loading={sending.isScheduling}
            aria-disabled={blockReason !== undefined || undefined}
            aria-describedby={blockReason ? 'editor-blocked' : undefined}
            onClick={isScheduled ? sending.openPanel : sending.schedulePlanned}
          >
            {label}
          </Button>
        </Blockable>
        {!isScheduled && (
          <Button
            variant={blockReason ? 'default' : look}
            size={wide ? 'xl' : 'sm'}
            className={styles.arrow}
            aria-label="Choose a time"
            aria-haspopup="dialog"
            aria-expanded={sending.isPanelOpen}
            onClick={sending.openPanel}
          >
            <ChevronDown size={16} aria-hidden="true" />
          </Button>
        )}
        <span id="editor-blocked" className="hidden">
          {blockReason}
        </span>
      </span>
    </ScheduleDialog>
  );
};
