import { createRootRoute, createRoute, Outlet } from '@tanstack/react-router';
import { isPosthornError } from '#generated/app-client';
import { queries, queryClient } from '#web/base/queries.ts';
import { Toasts } from '#web/parts/toasts.tsx';
import { PageFault } from '#web/shell/page-fault.tsx';
import { Shell } from '#web/shell/shell.tsx';

export const root = createRootRoute({
  component: () => (
    <>
      <Outlet />
      <Toasts />
    </>
  ),
  errorComponent: PageFault,
});

/** Pages for people who are signed in. */
export const shell = createRoute({
  getParentRoute: () => root,
  id: 'shell',
  loader: () => queryClient.ensureQueryData(queries.session).catch(waitForSignIn),
  component: Shell,
});

/** The browser is navigating to the sign-in page; show nothing until then. */
const waitForSignIn = (error: unknown) => {
  if (isPosthornError(error, 'Unauthorized')) return new Promise<never>(() => undefined);
  throw error;
};
