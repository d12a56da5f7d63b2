import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { createPageLoader } from '#web/base/app-files.ts';
import { paths } from '#web/base/paths.ts';
import { root, shell } from './roots.tsx';

interface Page {
  default: React.ComponentType;
}

/** Each page is a chunk of its own. */
const folders = import.meta.glob<Page>([
  './pages/*/index.tsx',
  './pages/connect/*/index.tsx',
  './pages/webhooks/*/index.tsx',
]);

const load = (folder: string) => {
  const page = folders[`./pages/${folder}/index.tsx`];
  if (page === undefined) throw new Error(`A route leads to web/pages/${folder}, which has no index.tsx`);
  return lazyRouteComponent(createPageLoader(page));
};
const notFound = lazyRouteComponent(createPageLoader((): Promise<Page> => import('#web/parts/not-found.tsx')));

/** Search parameters are always text. Each page reads the ones it knows, see usePageSearch. */
const validateSearch = (search: Record<string, unknown>) => search as Record<string, string | undefined>;

/** A page has the name of its folder, unless that stands in the folder of another page. */
const page = <Name extends keyof typeof paths>(name: Name, folder: string = name) =>
  createRoute({ getParentRoute: () => shell, path: paths[name], component: load(folder), validateSearch });

const publicPage = <Name extends keyof typeof paths>(name: Name) =>
  createRoute({ getParentRoute: () => root, path: paths[name], component: load(name), validateSearch });

export const routeTree = root.addChildren([
  shell.addChildren([
    page('home'),
    page('posts'),
    page('post'),
    page('calendar'),
    page('approvals'),
    page('approval', 'approvals'),
    page('analytics'),
    page('media'),
    page('assistant'),
    page('accounts'),
    page('connect'),
    page('connect-callback', 'connect/callback'),
    page('connect-choose', 'connect/choose'),
    page('api'),
    page('webhooks'),
    page('webhook', 'webhooks/webhook'),
    page('workspace'),
    page('slots'),
    page('backups'),
    page('networks'),
    page('profile'),
    page('notifications'),
    page('transfer'),
    page('import'),
    page('sandbox'),
    createRoute({
      getParentRoute: () => shell,
      path: paths.settings,
      beforeLoad: () => {
        throw redirect({ to: paths.workspace });
      },
    }),
    createRoute({ getParentRoute: () => shell, path: '$', component: notFound }),
  ]),
  publicPage('sign-in'),
  publicPage('sign-up'),
  publicPage('second-factor'),
  publicPage('invitation'),
  publicPage('welcome'),
  publicPage('forgot-password'),
  publicPage('new-password'),
  publicPage('consent'),
  publicPage('review'),
]);
