import { ConnectionError, createAppClient, isPosthornError } from '#generated/app-client';
import { errorClasses } from '#generated/sdk/src/errors';
import { errorFrom } from '#generated/sdk/src/posthorn-error';
import { notices } from '#web/shell/notices.ts';
import { isPublicPath, paths } from './paths.ts';

let workspaceId: string | undefined;

/** The workspace this tab is in. It stays, also when another tab opens another one. */
export const workspaceOfTab = () => workspaceId;
export const enterWorkspace = (id: string) => {
  workspaceId ??= id;
};

let isLeaving = false;
// A page that the browser kept, and shows again.
addEventListener('pageshow', () => {
  isLeaving = false;
});

/** Once, however many calls are refused: a second navigation would cancel the first. */
const leaveForSignIn = () => {
  if (!isLeaving)
    location.assign(`${paths['sign-in']}?next=${encodeURIComponent(location.pathname + location.search)}`);
  isLeaving = true;
};

/** What concerns the whole app is told by the shell, whoever called. */
const onError = (error: unknown) => {
  if (isPosthornError(error, 'Unauthorized') && !isPublicPath(location.pathname)) leaveForSignIn();
  if (isPosthornError(error, 'Conflict')) notices.conflict();
  if (isPosthornError(error, 'TooManyRequests')) notices.tooMany(error.retryAfterMs ?? 30_000);
  notices.set({ unreachable: error instanceof ConnectionError });
};

const onResponse = ({ status }: { status?: number }) => {
  if (status !== undefined) notices.set({ unreachable: false });
};

/** The one client: `app.getSession()` for the routes of the app, `app.actions.posts.list({})` for the actions. */
export const app = createAppClient({ workspace: workspaceOfTab, onError, onResponse });
export const { actions } = app;

/** For what is sent while the page goes away. The browser finishes it, up to 64 kB. */
export const lastActions = createAppClient({
  workspace: workspaceOfTab,
  onError,
  fetch: (url, init) => fetch(url, { ...init, keepalive: true }),
}).actions;

/** For an answer that is read while it comes. Refusals are the errors of every other call. */
export const fetchStream: typeof fetch = async (url, init) => {
  try {
    const headers = new Headers(init?.headers);
    const id = workspaceOfTab();
    if (id !== undefined) headers.set('Posthorn-Workspace', id);
    const response = await fetch(url, { ...init, headers }).catch((cause: unknown) => {
      init?.signal?.throwIfAborted();
      throw new ConnectionError('no answer', { cause });
    });
    onResponse(response);
    if (response.ok) return response;
    throw errorFrom(errorClasses, response, await response.json().catch(() => undefined));
  } catch (error) {
    if (!init?.signal?.aborted) onError(error);
    throw error;
  }
};
