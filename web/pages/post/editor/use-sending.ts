import { useQueryClient } from '@tanstack/react-query';
import { CircleAlert } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { describeFailure } from '#web/base/faults.ts';
import { keys } from '#web/base/queries.ts';
import { useZone } from '#web/base/session.ts';
import { formatSaid, now } from '#web/base/time.ts';
import { showIfAsked } from '#web/parts/approval-requests.ts';
import { showToast } from '#web/parts/toasts.tsx';
import { isStillFree, useNextSlot } from '#web/parts/use-next-slot.ts';
import { useNow } from '#web/parts/use-now.ts';
import { isEmpty } from './checks.ts';
import type { Editor } from './use-editor.ts';
import type { PostActions } from './use-post-actions.ts';

/** Id of the form in the panel. */
export const scheduleFormId = 'schedule-form';

export type Sending = ReturnType<typeof useSending>;

export const useSending = (editor: Editor, postActions: PostActions) => {
  const { save, edit, readOnly } = editor;
  const zone = useZone();
  useNow();
  const [isConfirmingPublish, setIsConfirmingPublish] = useState(false);
  const [isPanelOpen, setIsPanelOpen] = useState(false);
  const [isScheduling, setIsScheduling] = useState(false);
  const [moveTo, setMoveTo] = useState<string>();
  const isScheduled = save.base?.status === 'Scheduled';
  const isFailed = save.base?.status === 'Failed';
  const plannedAt = isScheduled ? (moveTo ?? save.base?.scheduledAt) : save.draft.scheduledAt;
  const client = useQueryClient();
  const slot = useNextSlot(save.draft.accountIds, { enabled: !readOnly && !isFailed });
  const own = plannedAt !== undefined && Date.parse(plannedAt) > now().getTime() ? plannedAt : undefined;
  const plannedFor = own ?? (isScheduled ? undefined : slot);
  const [takenSlot, setTakenSlot] = useState<string>();
  const blockReason = findBlockReason(editor);

  /** Someone else took the slot: schedule nothing and offer the next one. */
  const handleTakenSlot = async (at: string) => {
    await client.invalidateQueries({ queryKey: keys.slots });
    setTakenSlot(at);
    setMoveTo(undefined);
    if (!isScheduled) edit((draft) => ({ ...draft, scheduledAt: undefined }));
    setIsPanelOpen(true);
  };

  const schedule = async (at: string) => {
    const isSlot = slot !== undefined && Date.parse(slot) === Date.parse(at);
    if (isSlot && !(await isStillFree(at, save.draft.accountIds))) return handleTakenSlot(at);
    const isRequested = await postActions.schedule(at).then(
      () => false,
      (error: unknown) => {
        if (!showIfAsked(error)) throw error;
        return true;
      },
    );
    setTakenSlot(undefined);
    setIsPanelOpen(false);
    setMoveTo(undefined);
    if (isRequested) return;
    showToast({ text: `${isScheduled ? 'Moved to' : 'Scheduled for'} ${formatSaid(at, zone)}` });
  };
  const openPanel = () => setIsPanelOpen(true);
  /** Schedules at the planned time, or opens the panel if there is none. */
  const schedulePlanned = async () => {
    if (isScheduling) return;
    if (blockReason !== undefined) return showReason(blockReason);
    if (plannedFor === undefined) return openPanel();
    setIsScheduling(true);
    try {
      await schedule(plannedFor);
    } catch (error) {
      showToast({ text: describeFailure(error, 'The post was not scheduled.'), tone: 'red', stays: true });
    } finally {
      setIsScheduling(false);
    }
  };
  const openPublishDialog = () => {
    if (blockReason !== undefined) showReason(blockReason);
    else setIsConfirmingPublish(true);
  };
  useSendKeys({
    publish: openPublishDialog,
    schedule: () => {
      if (isFailed) openPublishDialog();
      else if (isScheduled) openPanel();
      else if (!isPanelOpen) void schedulePlanned();
      else document.querySelector<HTMLFormElement>(`#${scheduleFormId}`)?.requestSubmit();
    },
    on: !readOnly && !isConfirmingPublish,
  });
  return {
    plannedFor,
    slot,
    /** A slot that someone else took after it was offered here. */
    takenSlot,
    blockReason,
    isConfirmingPublish,
    openPublishDialog,
    closePublish: () => setIsConfirmingPublish(false),
    isPanelOpen,
    openPanel,
    closePanel: () => setIsPanelOpen(false),
    isScheduling,
    schedulePlanned: () => void schedulePlanned(),
    schedule,
    /** A draft stores the time; a scheduled post moves only on submit. */
    pick: (at: string) => {
      setTakenSlot(undefined);
      if (isScheduled) setMoveTo(at);
      else edit((draft) => ({ ...draft, scheduledAt: at }));
    },
  };
};

const showReason = (reason: string) => void showToast({ id: 'editor blocked', text: reason, icon: CircleAlert });

const findBlockReason = ({ save, chosen, checks, isUploading }: Editor): string | undefined => {
  const broken = checks.filter(({ tone }) => tone === 'red').length;
  if (isUploading) return 'A file is still being added.';
  if (isEmpty(save.draft)) return 'Write something first.';
  if (chosen.length === 0) return 'Choose an account first.';
  if (save.base?.status === 'Publishing' || save.base?.status === 'Published') {
    return 'This post went out. Keep your text as a copy to send it.';
  }
  if (save.phase === 'conflict') return 'The post was changed meanwhile. Decide which text counts first.';
  if (broken > 0) return `${broken === 1 ? '1 thing' : `${broken} things`} to fix, see Checks.`;
  return undefined;
};

/** ⌘↵ publishes and ⌘⇧↵ schedules (or with Ctrl): also in text fields, but in no dialog except the one to schedule. */
const useSendKeys = ({ publish, schedule, on }: { publish: () => void; schedule: () => void; on: boolean }) => {
  const latest = useRef({ publish, schedule });
  useEffect(() => {
    latest.current = { publish, schedule };
  });
  useEffect(() => {
    if (!on) return;
    const press = (event: KeyboardEvent) => {
      if (event.key !== 'Enter' || !(event.metaKey || event.ctrlKey) || event.altKey || event.repeat) return;
      const dialog = event.target instanceof Element && event.target.closest('[role="dialog"]');
      if (dialog && !dialog.querySelector(`#${scheduleFormId}`)) return;
      event.preventDefault();
      if (event.shiftKey) latest.current.schedule();
      else latest.current.publish();
    };
    window.addEventListener('keydown', press);
    return () => window.removeEventListener('keydown', press);
  }, [on]);
};
