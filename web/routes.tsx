import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { fileOfPage } from './app-files.ts';
import { root, shell } from './roots.tsx';

interface Page {
  default: React.ComponentType;
}

/** `pages/<folder>/index.tsx`, each a chunk of its own. */
const folders = import.meta.glob<Page>('./pages/*/index.tsx');
const notFound = (): Promise<Page> => import('#web/pages/not-found/index.tsx');

const load = (folder: string) => lazyRouteComponent(fileOfPage(folders[`./pages/${folder}/index.tsx`] ?? notFound));

/** All values of an address are text; a page takes those it knows, see usePageSearch. */
const validateSearch = (search: Record<string, unknown>) => search as Record<string, string | undefined>;

const page = <const Path extends string>(path: Path, folder: string) =>
  createRoute({ getParentRoute: () => shell, path, component: load(folder), validateSearch });

const publicPage = <const Path extends string>(path: Path, folder: string) =>
  createRoute({ getParentRoute: () => root, path, component: load(folder), validateSearch });

/** One line a page. */
export const routeTree = root.addChildren([
  shell.addChildren([
    page('/', 'home'),
    page('/posts', 'posts'),
    page('/posts/$id', 'post'),
    page('/calendar', 'calendar'),
    page('/approvals', 'approvals'),
    page('/approvals/$id', 'approvals'),
    page('/analytics', 'analytics'),
    page('/media', 'media'),
    page('/assistant', 'assistant'),
    page('/accounts', 'accounts'),
    page('/connect/$network', 'connect'),
    page('/connect/$network/callback', 'connect-callback'),
    page('/connect/choose/$id', 'connect-choose'),
    page('/settings/api', 'api'),
    page('/settings/webhooks', 'webhooks'),
    page('/settings/webhooks/$id', 'webhook'),
    page('/settings/workspace', 'workspace'),
    page('/settings/slots', 'slots'),
    page('/settings/profile', 'profile'),
    page('/notifications', 'notifications'),
    page('/settings/transfer', 'transfer'),
    page('/settings/transfer/$id', 'import'),
    page('/sandbox', 'sandbox'),
    createRoute({
      getParentRoute: () => shell,
      path: '/settings',
      beforeLoad: () => {
        throw redirect({ to: '/settings/workspace' });
      },
    }),
    createRoute({ getParentRoute: () => shell, path: '$', component: load('not-found') }),
  ]),
  publicPage('/sign-in', 'sign-in'),
  publicPage('/sign-up', 'sign-up'),
  publicPage('/invitations/$token', 'invitation'),
  publicPage('/welcome/$secret', 'welcome'),
  publicPage('/forgot-password', 'forgot-password'),
  publicPage('/new-password/$secret', 'new-password'),
  publicPage('/consent/$id', 'consent'),
  publicPage('/review/$secret', 'review'),
]);
