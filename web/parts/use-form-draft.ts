import { useRouterState } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { workspaceOfTab } from '#web/api.ts';
import { useSession } from '#web/session.ts';
import { formDrafts, keyPrefix } from './form-drafts.ts';

/**
 * As useState, for a field of a form, for marks, or for whether a dialog is open: after the session has ended and the
 * same person has signed in again in this tab, or after the app has reloaded the page, it begins with what was there.
 * Never for passwords and keys.
 */
export const useFormDraft = <Value>(name: string, initial: Value) => {
  const { user } = useSession();
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const key = `${keyPrefix} ${user.id} ${workspaceOfTab()} ${path} ${name}`;
  const [value, setValue] = useState(() => (formDrafts.read(key) as Value | undefined) ?? initial);
  const isChanged = JSON.stringify(value) !== JSON.stringify(initial);
  useEffect(() => {
    formDrafts.remove(key);
    return isChanged ? formDrafts.put(key, value) : undefined;
  }, [key, value, isChanged]);
  return [value, setValue] as const;
};
