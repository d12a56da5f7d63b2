import { createRouter, parseSearchWith, stringifySearchWith } from '@tanstack/react-router';
import { PageFault } from '#web/shell/page-fault.tsx';
import { routeTree } from './routes.tsx';

export const router = createRouter({
  routeTree,
  // Without this, TanStack Router parses `?q=12` as a number.
  parseSearch: parseSearchWith((text) => text),
  stringifySearch: stringifySearchWith(String),
  defaultErrorComponent: PageFault,
  defaultPreload: 'intent',
  defaultPreloadStaleTime: 0,
  scrollRestoration: true,
  scrollToTopSelectors: ['#page'],
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
