import { ConnectionError, createAppClient, isPosthornError } from '#generated/app-client';
import { errorClasses } from '#packages/sdk/src/generated/errors';
import { errorFrom } from '#packages/sdk/src/posthorn-error';
import { formDrafts } from './form-drafts.ts';
import { notices } from './notices.ts';
import { isPublicPath, paths } from './paths.ts';

let workspaceId: string | undefined;

/** The workspace of this tab. It stays the same when another tab switches workspaces. */
export const workspaceOfTab = () => workspaceId;
export const enterWorkspace = (id: string) => {
  workspaceId ??= id;
};

let isLeaving = false;
// The back-forward cache restores the page with its variables, so reset the flag.
addEventListener('pageshow', () => {
  isLeaving = false;
});

/** Navigates only once: a call refused while the page unloads would start a second navigation and cancel the first. */
const leaveFor = (url: string) => {
  if (!isLeaving) location.assign(url);
  isLeaving = true;
};

/** For people who ended their session themselves. */
export const leaveSignedOut = () => leaveFor(paths['sign-in']);

const leaveForSignIn = () => {
  const next = location.pathname + location.search + location.hash;
  // A workspace was open, so this tab had a session.
  const ended = workspaceId === undefined ? {} : { ended: formDrafts.store() ? 'form' : '1' };
  leaveFor(`${paths['sign-in']}?${new URLSearchParams({ next, ...ended })}`);
};

/** The password or link was right and a second factor is due. Passes `next` on to its page. */
const goOnToSecondFactor = () => {
  const next = new URLSearchParams(location.search).get('next') ?? '/';
  location.assign(`${paths['second-factor']}?${new URLSearchParams({ next })}`);
};

/** Errors that concern the whole app; the shell shows them, whoever made the call. */
const onError = (error: unknown) => {
  if (isPosthornError(error, 'Unauthorized') && error.issues[0]?.code === 'SecondFactor') goOnToSecondFactor();
  else if (isPosthornError(error, 'Unauthorized') && !isPublicPath(location.pathname)) leaveForSignIn();
  if (isPosthornError(error, 'Conflict')) notices.conflict();
  if (isPosthornError(error, 'TooManyRequests')) notices.tooMany(error.retryAfterMs ?? 30_000);
  notices.set({ isUnreachable: error instanceof ConnectionError });
};

const onResponse = ({ status }: { status?: number }) => {
  if (status !== undefined) notices.set({ isUnreachable: false });
};

/** The one client: `app.getSession()` for the routes of the app, `app.actions.posts.list({})` for the actions. */
export const app = createAppClient({ workspace: workspaceOfTab, onError, onResponse });
export const { actions } = app;

/** For requests while the page unloads: the browser completes keepalive requests up to 64 kB. */
export const keepaliveApp = createAppClient({
  workspace: workspaceOfTab,
  onError,
  fetch: (url, init) => fetch(url, { ...init, keepalive: true }),
});
export const { actions: keepaliveActions } = keepaliveApp;

/** For streamed responses; errors become the same classes as in the client. */
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
