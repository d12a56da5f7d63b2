import type { z } from 'zod';
import type { ApprovalCard } from '#contracts/approvals';
import type { Issue } from '#contracts/errors';
import type { Token } from '#contracts/tokens';
import { versionFor } from '#server/posts/versions';
import { excerpt, type Here, moment, page, problem } from './frame.ts';
import { html } from './html.ts';

const states: Record<ApprovalCard['status'], string> = {
  Open: 'waits for you',
  Approved: 'approved',
  Rejected: 'rejected',
  Outdated: 'outdated: the post was changed after the request',
  Expired: 'expired: nobody decided within 7 days',
};

/** The start page: what agents asked for. */
export const requestsPage = (here: Here, cards: readonly ApprovalCard[]) => {
  const item = (card: ApprovalCard) => html`<li class="box">
<a href="/approvals/${card.id}"><strong>${card.sentence}</strong></a> <span class="state">${states[card.status]}</span><br>
<span class="faint">${card.conversation.title} · ${moment(card.createdAt)}</span>
${card.post && html`<p class="text">${excerpt(card.post.versions[0]?.content[0]?.body ?? '')}</p>`}
</li>`;
  const open = cards.filter(({ status }) => status === 'Open');
  const decided = cards.filter(({ status }) => status !== 'Open');
  return page(
    here,
    '/',
    'Requests',
    html`${!here.session.user.hasPassword && html`<p class="note">You came by a one-time link. <a href="/settings">Set a password</a> to be able to come back.</p>`}
${
  open.length === 0
    ? html`<p>Nothing waits for you. When an agent asks to schedule, publish or delete something, it appears here.
<a href="/settings">Connect an agent</a></p>`
    : html`<ul class="plain">${open.map(item)}</ul>`
}
${decided.length > 0 && html`<h2>Decided</h2><ul class="plain">${decided.map(item)}</ul>`}`,
  );
};

/** One request: who asks for what, and what exactly would become public. */
export const approvalPage = (here: Here, card: ApprovalCard) =>
  page(
    here,
    '',
    card.sentence,
    html`<dl>
<dt>Asked by</dt><dd>${card.client}, for ${card.requestedByName}</dd>
<dt>Asked at</dt><dd>${moment(card.createdAt)}</dd>
<dt>State</dt><dd>${states[card.status]}</dd>
${typeof card.input.at === 'string' && html`<dt>To go out at</dt><dd>${moment(new Date(card.input.at).toISOString())}</dd>`}
</dl>
${card.account && html`<p class="box">${card.account.name} on ${card.account.provider} (${card.account.handle})</p>`}
${card.scheduledPosts !== undefined && card.scheduledPosts.length > 0 && failingPosts(card.scheduledPosts)}
${card.post?.status === 'Scheduled' && requestedChange(card)}
${card.post && contentPerAccount(card, card.post)}
${
  card.status === 'Open' &&
  html`<div class="actions">
<form data-api="POST /api/approvals/${card.id}/approve"><button>${card.verb}</button>${problem}</form>
<form data-api="POST /api/approvals/${card.id}/reject"><button class="quiet">Reject</button>${problem}</form>
</div>
<p class="faint">Approving runs it as you, ${here.session.user.email}. The request is for exactly what you see here.</p>`
}`,
  );

const failingPosts = (posts: NonNullable<ApprovalCard['scheduledPosts']>) =>
  html`<h2>Scheduled posts that would fail for it</h2>
<ul>${posts.map(({ text, scheduledAt }) => html`<li>${moment(scheduledAt)}: ${excerpt(text)}</li>`)}</ul>`;

const requestedChange = ({ input }: ApprovalCard) => {
  const { id: _, ...change } = input;
  if (Object.keys(change).length === 0) return undefined;
  return html`<h2>The change asked for</h2><pre class="box text">${JSON.stringify(change, null, 2)}</pre>`;
};

const contentPerAccount = (
  { accounts, media: files, validation }: ApprovalCard,
  post: NonNullable<ApprovalCard['post']>,
) => {
  const shown = accounts.length > 0 ? accounts : [undefined];
  return html`<h2>The post as it was at the request</h2>
${shown.map((account) => {
  const { content, options } = versionFor(post.versions, account?.id ?? '');
  const issues = (validation?.issues ?? []).filter(({ accountId }) => accountId === account?.id);
  return html`<section class="box" aria-label="${account ? `${account.provider}, ${account.handle}` : 'No account'}">
<p class="faint">${account ? `${account.provider} · ${account.name} (${account.handle})` : 'It goes to no account yet.'}</p>
${content.map(({ body, media }) => html`<p class="text">${body || '(no text)'}</p>${media.map((id) => mediaFigure(files.find((file) => file.id === id)))}`)}
${Object.keys(options).length > 0 && html`<p class="faint">${Object.entries(options).map(([key, value]) => html`<code>${key} = ${value}</code> `)}</p>`}
${issues.length > 0 ? html`<ul>${issues.map(issueItem)}</ul>` : account && html`<p class="faint">Within the limits of ${account.provider}.</p>`}
</section>`;
})}`;
};

const mediaFigure = (file: ApprovalCard['media'][number] | undefined) =>
  html`<figure>${file && html`<img src="${file.thumbnailUrl}" alt="${file.alt ?? ''}" width="160">`}
<figcaption class="faint">${file === undefined ? 'A file that is gone' : file.alt ? `Alternative text: ${file.alt}` : 'No alternative text'}</figcaption></figure>`;

const issueItem = ({ message }: Issue) => html`<li class="error">${message}</li>`;

/** Tokens, the address for agents, and the password. */
export const settingsPage = (here: Here, tokens: readonly z.output<typeof Token>[], mcpUrl: string) =>
  page(
    here,
    '/settings',
    'Settings',
    html`<h2>Connect an agent</h2>
<p>Give your MCP client this address. It asks you to sign in and to tick what it may do:</p>
<p class="box"><code>${mcpUrl}</code></p>
<h2>Personal tokens</h2>
<p>For programs and for clients that take a token. A token acts as you in ${here.session.workspace?.name}; it cannot approve.</p>
${
  tokens.length === 0
    ? html`<p class="faint">You have no token yet.</p>`
    : html`<table><thead><tr><th scope="col">Name</th><th scope="col">Made</th><th scope="col">Last used</th><th scope="col">Revoke</th></tr></thead><tbody>
${tokens.map(
  ({
    id,
    name,
    createdAt,
    lastUsedAt,
  }) => html`<tr><td>${name}</td><td>${moment(createdAt)}</td><td>${lastUsedAt ? moment(lastUsedAt) : 'never'}</td>
<td><form data-api="DELETE /api/auth/tokens/${id}"><button class="quiet" aria-label="Revoke ${name}">Revoke</button>${problem}</form></td></tr>`,
)}</tbody></table>`
}
<form class="box" data-api="POST /api/auth/tokens">
<label>Name of a new token<input name="name" required maxlength="100" autocomplete="off"></label>
${problem}
<button>Make a token</button>
<output hidden aria-live="polite"></output>
<p class="faint">It is shown once, here.</p>
</form>
<h2>Password</h2>
<form class="box" data-api="POST /api/auth/password" data-next="/settings">
<input hidden readonly autocomplete="username" value="${here.session.user.email}">
${here.session.user.hasPassword && html`<label>Present password<input name="current" type="password" autocomplete="current-password" required></label>`}
<label>New password, at least 8 characters<input name="next" type="password" autocomplete="new-password" minlength="8" required></label>
${problem}
<button>${here.session.user.hasPassword ? 'Change the password' : 'Set a password'}</button>
<p class="faint">Other browsers are signed out, and agents have to sign in again.</p>
</form>`,
  );
