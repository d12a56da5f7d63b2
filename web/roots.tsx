import { createRootRoute, createRoute, Outlet } from '@tanstack/react-router';
import { queries, queryClient } from './queries.ts';
import { Toasts } from './parts/toasts.tsx';
import { PageFault } from './shell/page-fault.tsx';
import { Shell } from './shell/shell.tsx';

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
  loader: () => queryClient.ensureQueryData(queries.session),
  component: Shell,
});
