import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { app, keepaliveApp } from '#web/base/api.ts';
import { keys } from '#web/base/queries.ts';
import { useSession } from '#web/base/session.ts';

/** The server forgets a tab that did not report for a minute. */
const reportMs = 20_000;

const newTab = () => Array.from(crypto.getRandomValues(new Uint32Array(3)), (part) => part.toString(36)).join('');

/** The other people who have this post open. While this tab is visible it reports itself too. */
export const usePresence = (postId: string) => {
  const { user } = useSession();
  const [tab] = useState(newTab);
  const isVisible = useIsVisible();
  const { data } = useQuery({
    queryKey: keys.presence(postId),
    queryFn: ({ signal }) => app.reportPresence({ id: postId, tab }, { signal }),
    enabled: isVisible,
    refetchInterval: reportMs,
    staleTime: 0,
    gcTime: 0,
    // The next report tries again.
    retry: false,
  });
  useEffect(() => {
    if (!isVisible) return;
    const leave = () => void keepaliveApp.reportPresence({ id: postId, tab, isOpen: false }).catch(() => undefined);
    window.addEventListener('pagehide', leave);
    return () => {
      window.removeEventListener('pagehide', leave);
      leave();
    };
  }, [isVisible, postId, tab]);
  return isVisible ? (data?.people ?? []).filter(({ id }) => id !== user.id) : [];
};

const useIsVisible = () => {
  const [isVisible, setIsVisible] = useState(document.visibilityState === 'visible');
  useEffect(() => {
    const update = () => setIsVisible(document.visibilityState === 'visible');
    document.addEventListener('visibilitychange', update);
    return () => document.removeEventListener('visibilitychange', update);
  }, []);
  return isVisible;
};
