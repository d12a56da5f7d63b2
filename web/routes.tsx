import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { createPageLoader } from '#web/base/app-files.ts';
import { paths } from '#web/base/paths.ts';
import { root, shell } from './roots.tsx';

interface Page {
  default: React.ComponentType;
}

/** Each page is a chunk of its own. */
const folders = import.meta.glob<Page>('./pages/*/index.tsx');
const notFound = (): Promise<Page> => import('#web/parts/not-found.tsx');

const load = (folder: string) =>
  lazyRouteComponent(createPageLoader(folders[`./pages/${folder}/index.tsx`] ?? notFound));

/** Search parameters are always text. Each page reads the ones it knows, see usePageSearch. */
const validateSearch = (search: Record<string, unknown>) => search as Record<string, string | undefined>;

/** A page is named after its folder. */
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
    page('connect-callback'),
    page('connect-choose'),
    page('api'),
    page('webhooks'),
    page('webhook'),
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
    createRoute({ getParentRoute: () => shell, path: '$', component: load('not-found') }),
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
