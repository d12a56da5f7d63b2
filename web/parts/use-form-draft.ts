import { useRouterState } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { workspaceOfTab } from '#web/base/api.ts';
import { formDrafts, keyPrefix } from '#web/base/form-drafts.ts';
import { useSession } from '#web/base/session.ts';

/**
 * Like useState, for form fields, marked rows and open dialogs. The value survives a reload by the app. It also
 * survives the end of the session, if the same person signs in again in this tab. Never use it for passwords or keys.
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
