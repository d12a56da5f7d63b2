import { createRouter, parseSearchWith, stringifySearchWith } from '@tanstack/react-router';
import { routeTree } from './routes.tsx';
import { PageFault } from './shell/page-fault.tsx';

export const router = createRouter({
  routeTree,
  // `?q=12` stays the text 12.
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
