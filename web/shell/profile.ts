import { useMantineColorScheme } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { ChangeProfileInput, Session } from '#generated/app-client';
import { app } from '#web/api.ts';
import { faultOf } from '#web/faults.ts';
import { showToast } from '#web/parts/toasts.tsx';
import { keys } from '#web/queries.ts';
import { useSession } from '#web/session.ts';

/** Theme and shortcuts change at once; when the server refuses, they go back. */
export const useChangeProfile = () => {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (change: ChangeProfileInput) => app.changeProfile(change),
    onMutate: async ({ theme, shortcuts }) => {
      await client.cancelQueries({ queryKey: keys.session });
      const before = client.getQueryData<Session>(keys.session);
      const quick = { ...(theme && { theme }), ...(shortcuts !== undefined && { shortcuts }) };
      if (before) client.setQueryData<Session>(keys.session, { ...before, user: { ...before.user, ...quick } });
      return before;
    },
    onSuccess: (session) => client.setQueryData(keys.session, session),
    onError: (error, _change, before) => {
      if (before) client.setQueryData(keys.session, before);
      showToast({ tone: 'red', text: faultOf(error).message });
    },
  });
};

/** The profile decides; the browser remembers it for before the first paint and for the sign-in page. */
export const useThemeOfProfile = () => {
  const { theme } = useSession().user;
  const { setColorScheme } = useMantineColorScheme();
  useEffect(() => setColorScheme(theme), [theme, setColorScheme]);
};
