import { CircleAlert, Rows3 } from 'lucide-react';
import { useMemo } from 'react';
import { useNetworks } from '#web/base/networks.ts';
import { joinWithAnd } from '#web/parts/join-names.ts';
import { showToast } from '#web/parts/toasts.tsx';
import { accountsToSplit, splitFor } from './split-thread.ts';
import { useEditor } from './use-editor.ts';

/** Splits an item into a thread; undefined when no account with threads finds it too long. */
export const useSplit = (index: number, version: string | undefined): (() => void) | undefined => {
  const { deferredDraft, chosen, limitsOf, save, edit, openVersion, readOnly } = useEditor();
  const networks = useNetworks();
  const accounts = useMemo(
    () => (readOnly ? [] : accountsToSplit(deferredDraft, chosen, index, { limitsOf, version })),
    [readOnly, deferredDraft, chosen, index, limitsOf, version],
  );
  if (accounts.length === 0) return undefined;
  const name = joinWithAnd([...new Set(accounts.map(({ network }) => networks.of(network).name))]);
  return () => {
    const { original, own } = save.draft;
    const split = splitFor(save.draft, chosen, index, { limitsOf, version });
    if (split === undefined) {
      const text = `Too long for a thread on ${name}. Shorten it first.`;
      return void showToast({ text, icon: CircleAlert, tone: 'red' });
    }
    edit(split);
    const [only, ...others] = accounts;
    if (only && others.length === 0 && chosen.length > 1) openVersion(only.id);
    showToast({
      text: `Split into a thread for ${name}`,
      icon: Rows3,
      action: { label: 'Undo', onClick: () => edit((draft) => ({ ...draft, original, own })) },
    });
  };
};
