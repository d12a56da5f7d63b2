import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { ApprovalCard, ApprovalEdit, CheckApprovalsOutput } from '#generated/app-client';
import { app } from '#web/base/api.ts';
import { describeFailure } from '#web/base/faults.ts';
import { usePermissions } from '#web/base/session.ts';
import { useFormDraft } from '#web/parts/use-form-draft.ts';
import { followApproved, type RequestForm, useDecisions } from '#web/requests/use-decisions.ts';
import { usePasskeyYes } from '#web/requests/use-passkey-yes.ts';

export type CheckResult = CheckApprovalsOutput['results'][number];

export interface Pass {
  readonly cards: readonly ApprovalCard[];
  readonly marked: ReadonlySet<string>;
  readonly edits: ReadonlyMap<string, ApprovalEdit>;
  /** What approving all of them would answer. */
  readonly checks: ReadonlyMap<string, CheckResult>;
  readonly seen: ReadonlySet<string>;
  readonly current: string | undefined;
  readonly form: { readonly id: string; readonly kind: RequestForm } | undefined;
  /** Why the last decision about it failed. */
  failureOf(id: string): string | undefined;
  canMark(card: ApprovalCard): boolean;
  look(id: string): void;
  mark(id: string, isMarked: boolean): void;
  setEdit(id: string, edit: ApprovalEdit | undefined): void;
  open(form: Pass['form']): void;
  /** Approves one after the other; each reports for itself. */
  approve(cards: readonly ApprovalCard[]): Promise<void>;
}

/** Marks stay in this tab: nothing is sent before the button. */
export const usePass = (cards: readonly ApprovalCard[], focused: string | undefined): Pass => {
  const client = useQueryClient();
  const { canWrite } = usePermissions();
  const passkeyYes = usePasskeyYes();
  const [marked, setMarked] = useFormDraft<readonly string[]>(`marks from ${cards[0]?.id} on`, []);
  const { forms, setForm, edits: editsById, setEdit, faults } = useDecisions();
  const edits = new Map(Object.entries(editsById));
  const [seen, setSeen] = useState<ReadonlySet<string>>(new Set());
  const [failures, setFailures] = useState<ReadonlyMap<string, string>>(new Map());
  const [form] = cards.flatMap(({ id }) => (forms[id] ? [{ id, kind: forms[id] }] : []));
  // After a new sign-in, a form may already be open.
  const [chosen, setChosen] = useState(form?.id);
  const checked = useChecks(cards, edits, canWrite);
  const checks = new Map(checked.data?.results.map((result) => [result.id, result]));
  const has = (id: string | undefined) => cards.some((card) => card.id === id);
  const current = [chosen, focused, cards[0]?.id].find(has);

  // If the plan allows fewer, the person chooses which ones, so all of them can be marked.
  const canMark = ({ id, preparing }: ApprovalCard) => {
    const code = checks.get(id)?.error?.code;
    return canWrite && !preparing && (code === undefined || code === 'PlanLimit');
  };

  return {
    cards,
    marked: new Set(cards.filter((card) => marked.includes(card.id) && canMark(card)).map(({ id }) => id)),
    edits,
    checks,
    seen,
    current,
    form,
    failureOf: (id) => (id in faults ? describeFailure(faults[id], 'Not rejected.') : failures.get(id)),
    canMark,
    look: setChosen,
    mark: (id, isMarked) => {
      setMarked((before) => [...before.filter((one) => one !== id), ...(isMarked ? [id] : [])]);
      setSeen((before) => new Set([...before, id]));
    },
    setEdit: (id, edit) => {
      setEdit(id, edit);
      setSeen((before) => new Set([...before, id]));
      if (edit) setMarked((before) => [...before, id]);
      setForm(id, undefined);
    },
    open: (next) => {
      if (next) setChosen(next.id);
      if (form) setForm(form.id, undefined);
      if (next) setForm(next.id, next.kind);
    },
    approve: async (chosenCards) => {
      const refresh = () =>
        Promise.all(['approvals', 'posts'].map((domain) => client.invalidateQueries({ queryKey: [domain] })));
      const failed = new Map<string, string>();
      const approved: ApprovalCard[] = [];
      const yesTo = await passkeyYes.confirm(chosenCards.map(({ id }) => ({ id, edit: edits.get(id) })));
      for (const card of chosenCards) {
        try {
          await app.approve(yesTo(card.id));
          approved.push(card);
        } catch (error) {
          failed.set(card.id, describeFailure(error, 'Not approved.'));
        }
      }
      setFailures(failed);
      setMarked([...failed.keys()]);
      await refresh();
      for (const { id } of approved) setEdit(id, undefined);
      if (approved.length > 0) followApproved(approved, refresh);
    },
  };
};

/** The query key begins with `approvals`, so that refreshing the cards also repeats the check. */
export const useChecks = (
  cards: readonly ApprovalCard[],
  edits: ReadonlyMap<string, ApprovalEdit>,
  enabled: boolean,
) => {
  const input = cards.map(({ id }) => {
    const edit = edits.get(id);
    return { id, ...(edit && { edit }) };
  });
  return useQuery({
    queryKey: ['approvals', 'check', input],
    queryFn: ({ signal }) => app.checkApprovals({ cards: input }, { signal }),
    enabled: enabled && input.length > 0,
    placeholderData: (before) => before,
  });
};
