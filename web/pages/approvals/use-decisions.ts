import { useQueryClient } from '@tanstack/react-query';
import { createContext, useContext, useRef, useState } from 'react';
import { type ApprovalCard, isPosthornError } from '#generated/app-client';
import { actions, app } from '#web/api.ts';

interface Decisions {
  /** Approves the card, or sends an edited post as the person's own action. */
  approve: (card: ApprovalCard) => Promise<void>;
  reject: (card: ApprovalCard) => Promise<void>;
  /** Opens the confirmation dialog. */
  confirm: (card: ApprovalCard) => void;
  confirming: ApprovalCard | undefined;
  closeConfirm: () => void;
  running: { id: string; what: 'approve' | 'reject' } | undefined;
  fault: { id: string; error: unknown } | undefined;
  /** Cards that someone else decided before this person's click. */
  late: ReadonlySet<string>;
}

const Context = createContext<Decisions | undefined>(undefined);
export const DecisionsProvider = Context.Provider;

export const useDecisions = () => {
  const decisions = useContext(Context);
  if (decisions === undefined) throw new Error('no decisions here');
  return decisions;
};

/** One decision at a time, shown only after the server accepted it. `leave` runs when a card disappears. */
export const useMakeDecisions = (leave: (id: string) => void): Decisions => {
  const client = useQueryClient();
  const [running, setRunning] = useState<Decisions['running']>();
  const [fault, setFault] = useState<Decisions['fault']>();
  const [confirming, setConfirming] = useState<ApprovalCard>();
  const [late, setLate] = useState<ReadonlySet<string>>(new Set());
  const isRunning = useRef(false);

  const decide = async ({ id }: ApprovalCard, what: 'approve' | 'reject', work: () => Promise<unknown>) => {
    if (isRunning.current) return;
    isRunning.current = true;
    setRunning({ id, what });
    setFault(undefined);
    try {
      await work();
      leave(id);
    } catch (error) {
      if (isPosthornError(error, 'Conflict')) setLate((before) => new Set([...before, id]));
      else setFault({ id, error });
    } finally {
      await Promise.all(['approvals', 'posts'].map((domain) => client.invalidateQueries({ queryKey: [domain] })));
      isRunning.current = false;
      setRunning(undefined);
    }
  };

  return {
    approve: (card) =>
      decide(card, 'approve', async () => {
        await (card.status === 'Open' ? app.approve({ id: card.id }) : actAsPerson(card));
        if (card.action === 'posts.publishNow' && card.post) void followSendOff(card.post.id);
      }),
    reject: (card) => decide(card, 'reject', () => app.reject({ id: card.id })),
    confirm: setConfirming,
    confirming,
    closeConfirm: () => setConfirming(undefined),
    running,
    fault,
    late,
  };
};

const followSendOff = async (postId: string) => (await import('#web/send-off/board-toast.tsx')).showBoardToast(postId);

/** The request no longer matches the post, so the person sends it in their own name. */
const actAsPerson = ({ action, post, input }: ApprovalCard) =>
  action === 'posts.schedule'
    ? actions.posts.schedule({ id: post?.id ?? '', at: String(input.at) })
    : actions.posts.publishNow({ id: post?.id ?? '' });
