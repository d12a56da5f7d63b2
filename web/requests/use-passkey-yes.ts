import { useSyncExternalStore } from 'react';
import type { ApprovalEdit } from '#generated/app-client';
import { app } from '#web/base/api.ts';
import { NotDone } from '#web/base/faults.ts';
import { useSession, useWorkspace } from '#web/base/session.ts';

const storageKey = 'posthorn:passkey-yes';
const listeners = new Set<() => void>();
const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};
const isChosen = () => localStorage.getItem(storageKey) === 'true';
const choose = (isOn: boolean) => {
  localStorage.setItem(storageKey, String(isOn));
  for (const listener of listeners) listener();
};

interface MarkedCard {
  readonly id: string;
  readonly edit?: ApprovalEdit | undefined;
}

/** Confirms approvals with a passkey if the workspace requires it or the person chose it in this browser. */
export const usePasskeyYes = () => {
  const { hasPasskey } = useSession().user;
  const { approvalPasskey: isRequired } = useWorkspace();
  const isOn = useSyncExternalStore(subscribe, isChosen);
  return {
    hasPasskey,
    isRequired,
    isOn,
    choose,
    /** Returns the input for each approval: with one passkey confirmation for all of them, or only with its edit. */
    confirm: async (cards: readonly MarkedCard[]) => {
      const marked = cards.map(({ id, edit }) => ({ id, ...(edit && { edit }) }));
      if (!isRequired && !(isOn && hasPasskey)) return (id: string) => marked.find((card) => card.id === id) ?? { id };
      const [{ startAuthentication }, { id: confirmationId, options }] = await Promise.all([
        import('@simplewebauthn/browser'),
        app.confirmApprovals({ cards: marked }),
      ]);
      const response = await startAuthentication({ optionsJSON: options as never }).catch(toReason);
      return (id: string) => ({ id, confirmation: { id: confirmationId, response: { ...response } } });
    },
  };
};

/** Browsers throw NotAllowedError when a person cancels, but also in other cases, and hide the reason. */
const toReason = (error: unknown): never => {
  if (!(error instanceof Error && error.name === 'NotAllowedError')) throw error;
  throw new NotDone('The browser used no passkey: it was cancelled, took too long, or there is none of yours here.');
};
