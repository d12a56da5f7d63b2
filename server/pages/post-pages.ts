import type { Account } from '#contracts/accounts';
import type { Post, PostStatus, Result } from '#contracts/posts';
import { editors } from '#contracts/scopes';
import { confirmed, excerpt, type Here, isOneOf, moment, page, problem, shownHandle } from './frame.ts';
import { type Html, html } from './html.ts';

const place = '/posts';

const states: Record<PostStatus, string> = {
  Draft: 'draft',
  Scheduled: 'scheduled',
  Publishing: 'is being published',
  Published: 'published',
  Failed: 'failed',
};

const nameOf = (account: Account) => `${account.provider} · ${shownHandle(account)}`;

const action = (name: string, { id }: Post, label: Html | string, quiet = false) =>
  html`<form data-api="POST ${name}"><input type="hidden" name="id" value="${id}">${problem}<button${quiet && html` class="quiet"`}>${label}</button></form>`;

/** The posts of the workspace, newest first. */
export const postsPage = (
  here: Here,
  { posts, nextCursor, accounts }: { posts: readonly Post[]; nextCursor?: string; accounts: readonly Account[] },
) => {
  const mayWrite = isOneOf(here, editors);
  return page(
    here,
    place,
    'Posts',
    html`${mayWrite && html`<p><a class="button" href="/posts/new">New post</a></p>`}
<div id="posts" data-live>
${
  posts.length === 0
    ? html`<p>There is no post yet. ${mayWrite ? 'Write one, or let an agent draft it.' : 'Editors write them.'}</p>`
    : html`<ul class="plain">${posts.map((post) => postItem(post, accounts, mayWrite))}</ul>`
}
</div>
${nextCursor !== undefined && html`<p><a href="/posts?cursor=${encodeURIComponent(nextCursor)}">Older posts</a></p>`}`,
  );
};

const postItem = (post: Post, accounts: readonly Account[], mayWrite: boolean) => {
  const { id, status, versions, scheduledAt, updatedAt } = post;
  const [original] = versions;
  const content = original?.content ?? [];
  const files = content.reduce((count, { media }) => count + media.length, 0);
  const about = [
    content.length > 1 && `a thread of ${content.length}`,
    files > 0 && (files === 1 ? '1 file' : `${files} files`),
    versions.length > 1 && 'with versions of its own for some accounts',
  ].filter(Boolean);
  return html`<li class="box" id="${id}">
<p><span class="state${status === 'Failed' && ' error'}">${states[status]}</span> <span class="faint">${
    status === 'Scheduled' && scheduledAt !== undefined
      ? html`goes out at ${moment(scheduledAt)}`
      : html`changed ${moment(updatedAt)}`
  }${status === 'Draft' && scheduledAt !== undefined && html` · wished for ${moment(scheduledAt)}, not scheduled`}</span></p>
<p class="text">${excerpt(content[0]?.body ?? '') || html`<span class="faint">(no text)</span>`}</p>
${about.length > 0 && html`<p class="faint">${about.join(' · ')}</p>`}
${
  post.accountIds.length === 0
    ? html`<p class="faint">It goes to no account yet.</p>`
    : html`<ul class="plain results">${post.accountIds.map((accountId) => resultItem(post, accountId, accounts, mayWrite))}</ul>`
}
${mayWrite && buttons(post)}
</li>`;
};

const resultItem = (post: Post, accountId: string, accounts: readonly Account[], mayWrite: boolean) => {
  const account = accounts.find(({ id }) => id === accountId);
  const name = account ? nameOf(account) : 'An account that was disconnected';
  const result = post.results.find((one) => one.accountId === accountId);
  if (result === undefined) return html`<li>${name}</li>`;
  // What a network calls an address is not always one.
  const link = result.url !== undefined && /^https?:\/\//.test(result.url) ? result.url : undefined;
  return html`<li>${link === undefined ? name : html`<a href="${link}">${name}</a>`}
${result.ok && html`<span class="faint">published ${result.publishedAt !== undefined && moment(result.publishedAt)}</span>`}
${!result.ok && html`<p class="${result.uncertain ? 'doubt' : 'error'}">${result.error?.message ?? 'It did not go out.'}</p>`}
${result.uncertain && mayWrite && post.status === 'Failed' && publishAgain(post, result, name)}</li>`;
};

const publishAgain = ({ id }: Post, { accountId }: Result, name: string) =>
  confirmed(
    'I looked: it is not there',
    'If it is there after all, it will be there twice. Accounts that have failed get it again too.',
    html`<form data-api="POST /api/app/posts/${id}/publish-again">
<input type="hidden" name="accountIds[]" value="${accountId}">
${problem}<button aria-label="Publish it again there: ${name}">Publish it again there</button></form>`,
  );

const lost = ({ results }: Post) => {
  const out = results.filter(({ externalId }) => externalId !== undefined).length;
  if (out === 0) return 'It cannot be brought back.';
  const places = out === 1 ? 'the account that has it' : `the ${out} accounts that have it`;
  return `It cannot be brought back. It is public on ${places}, and stays there.`;
};

const buttons = (post: Post) => {
  const { id, status } = post;
  if (status === 'Publishing' || status === 'Published') return undefined;
  return html`<div class="actions">
${status === 'Draft' && action('/api/app/actions/posts.publishNow', post, 'Publish now')}
${status === 'Failed' && action('/api/app/actions/posts.publishNow', post, 'Publish again')}
${status === 'Scheduled' && html`<form data-api="POST /api/app/posts/${id}/unschedule">${problem}<button class="quiet">Take back</button></form>`}
${confirmed('Delete', lost(post), action('/api/app/actions/posts.delete', post, 'Yes, delete it'))}
</div>`;
};

/** Where a post is written. `clock` is what Posthorn goes by, where that can be ahead of the true time. */
export const composePage = (here: Here, accounts: readonly Account[], clock: string | undefined) =>
  page(
    here,
    place,
    'New post',
    html`<form class="box" data-api="compose" data-next="/posts">
<label>Text<textarea name="body" rows="6" data-covers="^(body|versions\\.\\d+\\.content(\\.\\d+\\.body)?)$"></textarea></label>
<label>Images or videos<input name="file" type="file" multiple accept="image/*,video/*" data-covers="^(alt|versions\\.\\d+\\.content\\.\\d+\\.media.*)$"></label>
<div data-alts></div>
<fieldset data-covers="^accountIds"><legend>Goes to</legend>
${
  accounts.length === 0
    ? html`<p>No account is connected yet. <a href="/accounts#connect">Connect one</a>, or save a draft for now.</p>`
    : accounts.map(
        (account) =>
          html`<label class="check"><input type="checkbox" name="accountIds[]" value="${account.id}"> <span>${nameOf(account)}${account.status === 'NeedsReconnect' && html` <span class="error">needs reconnecting</span>`}</span></label>`,
      )
}
</fieldset>
<label class="narrow">When, to schedule it<span class="hint">In your time zone<span data-zone></span>.${clock !== undefined && html` Posthorn's clock: ${moment(clock)}.`}</span><input name="at" type="datetime-local"></label>
${problem}
<div class="actions">
<button name="then" value="publish">Publish now</button>
<button class="quiet" name="then" value="schedule">Schedule</button>
<button class="quiet" name="then" value="save">Save draft</button>
</div>
</form>`,
  );
