import { useRouterState } from '@tanstack/react-router';
import { useEffect } from 'react';
import { actions } from '#web/base/api.ts';

const waitMs = 300;

/** Tells the server which page the person looks at; the tab focused last counts. */
export const useReportContext = () => {
  const { pathname, searchStr } = useRouterState({ select: ({ location }) => location });
  useEffect(() => {
    // Report nothing on the assistant page, because questions to the assistant are about the previous page.
    if (pathname.startsWith('/assistant')) return;
    let timer: ReturnType<typeof setTimeout>;
    const report = () => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        if (document.visibilityState === 'hidden') return;
        const [, postId] = /^\/posts\/(post_\w+)/.exec(pathname) ?? [];
        const accountId = new URLSearchParams(searchStr).get('version');
        const post = postId === undefined ? {} : { postId, ...(accountId && { accountId }) };
        // Errors can be ignored, because the next navigation reports again.
        actions.ui.setContext({ page: pathname, ...post }).catch(() => undefined);
      }, waitMs);
    };
    report();
    window.addEventListener('focus', report);
    return () => {
      clearTimeout(timer);
      window.removeEventListener('focus', report);
    };
  }, [pathname, searchStr]);
};
