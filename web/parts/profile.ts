import { useMantineColorScheme } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { ChangeProfileInput, Session } from '#generated/app-client';
import { app } from '#web/base/api.ts';
import { keys } from '#web/base/queries.ts';
import { useSession } from '#web/base/session.ts';
import { useOptimisticChange, usePendingChanges } from './use-optimistic-change.ts';

const key = ['profile'];

/** The profile with pending changes applied. */
export const useProfile = (): Session['user'] => {
  const { user } = useSession();
  return Object.assign({}, user, ...usePendingChanges<ChangeProfileInput>(key));
};

/** `onError` replaces the error toast. */
export const useChangeProfile = (onError?: () => void) => {
  const client = useQueryClient();
  return useOptimisticChange({
    key,
    send: (change: ChangeProfileInput) => app.changeProfile(change),
    onSuccess: async (session) => {
      // A session read before the change must not overwrite it.
      await client.cancelQueries({ queryKey: keys.session });
      client.setQueryData(keys.session, session);
      // Refetch, because the cancelled request may be the one that would notice that the session has ended.
      void client.invalidateQueries({ queryKey: keys.session });
    },
    ...(onError && { onError }),
  });
};

/** Mantine stores it in the browser, for the first paint and for the sign-in page. */
export const useProfileTheme = () => {
  const { theme } = useProfile();
  const { setColorScheme } = useMantineColorScheme();
  useEffect(() => setColorScheme(theme), [theme, setColorScheme]);
};
