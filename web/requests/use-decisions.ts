import { useQueryClient } from '@tanstack/react-query';
import { createContext, useCallback, useContext, useRef, useState } from 'react';
import { type ApprovalCard, type ApprovalEdit, isPosthornError } from '#generated/app-client';
import { actions, app } from '#web/base/api.ts';
import { useFormDraft } from '#web/parts/use-form-draft.ts';
import { offerReopen, offerUndo } from './undo-approvals.ts';
import { usePasskeyYes } from './use-passkey-yes.ts';

export type RequestForm = 'reject' | 'edit';

interface Decisions {
  /** Approves the card, with the person's edit, or sends a changed post as the person's own action. */
  approve: (card: ApprovalCard, edit?: ApprovalEdit) => Promise<void>;
  reject: (card: ApprovalCard, reason?: string) => Promise<void>;
  /** The form that is open on a card, by its id. */
  forms: Readonly<Record<string, RequestForm>>;
  setForm: (id: string, form: RequestForm | undefined) => void;
  /** The person's edits, by the id of the card. Nothing is sent before the approval. */
  edits: Readonly<Record<string, ApprovalEdit>>;
  setEdit: (id: string, edit: ApprovalEdit | undefined) => void;
  /** Opens the confirmation dialog. */
  confirm: (card: ApprovalCard) => void;
  confirming: ApprovalCard | undefined;
  closeConfirm: () => void;
  /** Decisions that are being sent or wait for another one, by the id of the card. */
  running: Readonly<Record<string, 'approve' | 'reject'>>;
  /** Why the last decision about a card failed, by its id. */
  faults: Readonly<Record<string, unknown>>;
  /** Cards that someone else decided before this person's click. */
  late: ReadonlySet<string>;
  /** Cards in which the person is writing. In a pass with a later request, they would lose their text. */
  alone: ReadonlySet<string>;
  /** Keeps a card out of passes; returns a function that ends this. */
  keepAlone: (id: string) => () => void;
}

const Context = createContext<Decisions | undefined>(undefined);
export const DecisionsProvider = Context.Provider;

export const useDecisions = () => {
  const decisions = useContext(Context);
  if (decisions === undefined) throw new Error('useDecisions needs a DecisionsProvider');
  return decisions;
};

/** One decision at a time, shown only after the server accepted it. `leave` runs when a card disappears. */
export const useMakeDecisions = (leave: (id: string) => void): Decisions => {
  const client = useQueryClient();
  const [running, setRunning] = useState<Decisions['running']>({});
  const [forms, setForms] = useFormDraft<Decisions['forms']>('forms of requests', {});
  const [edits, setEdits] = useFormDraft<Decisions['edits']>('edits of requests', {});
  const setForm = (id: string, form: RequestForm | undefined) => setForms((before) => withEntry(before, id, form));
  const setEdit = (id: string, edit: ApprovalEdit | undefined) => setEdits((before) => withEntry(before, id, edit));
  const [faults, setFaults] = useState<Decisions['faults']>({});
  const [confirming, setConfirming] = useState<ApprovalCard>();
  const [late, setLate] = useState<ReadonlySet<string>>(new Set());
  const [alone, setAlone] = useState<ReadonlySet<string>>(new Set());
  const keepAlone = useCallback((id: string) => {
    setAlone((before) => new Set([...before, id]));
    return () => setAlone((before) => new Set([...before].filter((one) => one !== id)));
  }, []);
  const passkeyYes = usePasskeyYes();
  const queue = useRef<Promise<unknown>>(Promise.resolve());
  const queued = useRef(new Set<string>());
  const refresh = () =>
    Promise.all(['approvals', 'posts'].map((domain) => client.invalidateQueries({ queryKey: [domain] })));

  const decide = async ({ id }: ApprovalCard, what: 'approve' | 'reject', work: () => Promise<unknown>) => {
    if (queued.current.has(id)) return;
    queued.current.add(id);
    setRunning((before) => withEntry(before, id, what));
    setFaults((before) => withEntry(before, id, undefined));
    const decision = queue.current.catch(() => undefined).then(work);
    queue.current = decision;
    let isApproved = false;
    try {
      await decision;
      setForm(id, undefined);
      leave(id);
      isApproved = what === 'approve';
    } catch (error) {
      if (isPosthornError(error, 'Conflict')) setLate((before) => new Set([...before, id]));
      else setFaults((before) => withEntry(before, id, error));
    } finally {
      await refresh();
      if (isApproved) setEdit(id, undefined);
      queued.current.delete(id);
      setRunning((before) => withEntry(before, id, undefined));
    }
  };

  return {
    approve: (card, edit) =>
      decide(card, 'approve', async () => {
        if (card.status !== 'Open') return actAsPerson(card);
        const yesTo = await passkeyYes.confirm([{ id: card.id, edit }]);
        await app.approve(yesTo(card.id));
        followApproved([card], refresh);
      }),
    reject: (card, reason) =>
      decide(card, 'reject', async () => {
        await app.reject({ id: card.id, ...(reason && { reason }) });
        if (card.status === 'Open') offerReopen(card, refresh);
      }),
    forms,
    setForm,
    edits,
    setEdit,
    confirm: setConfirming,
    confirming,
    closeConfirm: () => setConfirming(undefined),
    running,
    faults,
    late,
    alone,
    keepAlone,
  };
};

const withEntry = <Value>(record: Readonly<Record<string, Value>>, key: string, value: Value | undefined) => {
  const { [key]: _, ...others } = record;
  return value === undefined ? others : { ...others, [key]: value };
};

/** Offers Undo where possible, and shows the progress of a post that is published now. */
export const followApproved = (cards: readonly ApprovalCard[], refresh: () => Promise<unknown>) => {
  offerUndo(cards, refresh);
  const [publishedNow, ...others] = cards.filter(({ action, post }) => action === 'posts.publishNow' && post);
  if (publishedNow?.post && others.length === 0) void followSendOff(publishedNow.post.id);
};

const followSendOff = async (postId: string) => (await import('#web/send-off/board-toast.tsx')).showBoardToast(postId);

/** The request no longer matches the post, so the person sends it in their own name. */
const actAsPerson = async ({ action, post, input }: ApprovalCard) => {
  const id = post?.id ?? '';
  if (action === 'posts.schedule') return actions.posts.schedule({ id, at: String(input.at) });
  await actions.posts.publishNow({ id });
  return followSendOff(id);
};
