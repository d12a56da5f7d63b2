import { admins } from '#contracts/scopes';
import type { Networks } from '#server/networks/registry';
import { type FaultMoment, faultMoments, faults, type SandboxPost } from '#server/networks/sandbox';
import { type Here, isOneOf, moment, page, problem } from '#server/pages/frame';
import { type Html, html } from '#server/pages/html';
import type { SandboxClock } from './clock.ts';
import type { PlannedFault } from './faults.ts';
import type { Sandboxes } from './serve.ts';

const postsPerNetwork = 100;
const hourMs = 3_600_000;
const steps = [
  { text: '1 hour', ms: hourMs },
  { text: '6 hours', ms: 6 * hourMs },
  { text: '1 day', ms: 24 * hourMs },
  { text: '30 days', ms: 30 * 24 * hourMs },
];
const moments: Record<FaultMoment, string> = {
  upload: 'media come in',
  publish: 'a post is sent',
  read: 'numbers are read',
};

type FeedPost = Awaited<ReturnType<Sandboxes['feed']>>[number];

interface Feed {
  readonly key: string;
  readonly name: string;
  /** Those the network tells of. */
  readonly metrics: readonly (keyof NonNullable<FeedPost['numbers']>)[];
  readonly posts: readonly FeedPost[];
  readonly planned: readonly (PlannedFault & { readonly moment: FaultMoment })[];
}

export const readSandbox = async ({
  sandboxes,
  sandboxClock,
  networks,
}: {
  sandboxes: Sandboxes;
  sandboxClock: SandboxClock;
  networks: Networks;
}) => {
  const read = async (key: string): Promise<Feed> => {
    const { name, constraints } = networks.get(key);
    const plans = await Promise.all(
      faultMoments.map(async (moment) => ({ moment, plan: await sandboxes.plannedFault(key, moment) })),
    );
    return {
      key,
      name,
      metrics: constraints.metrics,
      posts: await sandboxes.feed(key, postsPerNetwork),
      planned: plans.flatMap(({ moment, plan }) => (plan ? [{ moment, ...plan }] : [])),
    };
  };
  return { feeds: await Promise.all(sandboxes.networks.map(read)), now: sandboxClock.now().toISOString() };
};

/** What was posted on the sandbox networks, what goes wrong there, and the clock. */
export const sandboxPage = (
  here: Here,
  { feeds, now }: Awaited<ReturnType<typeof readSandbox>>,
  baseUrl: string,
): Html => {
  const isEmpty = feeds.every(({ posts }) => posts.length === 0);
  return page(
    here,
    '/sandbox',
    'Sandbox',
    html`<p class="faint">The stand-ins of the networks on this server. Nothing here is public. Posts of every workspace are shown.</p>
<section class="box" aria-labelledby="clock"><h2 id="clock">Clock: ${moment(now)}</h2>
${
  here.caller.role === 'owner'
    ? html`<form data-api="POST /api/app/sandbox/clock"><p>Move it forward, and what is due by then happens now. It does not go back.</p>
${problem}<div class="actions">${steps.map(({ text, ms }) => html`<button class="quiet" name="forwardMs" value="${ms}">+ ${text}</button>`)}</div></form>`
    : html`<p class="faint">An owner of the workspace can move it forward.</p>`
}</section>
${isEmpty && html`<p>Nothing was posted here yet. <a href="/posts/new">Write a post</a></p>`}
${feeds.map((feed) => feedSection(here, feed, baseUrl))}`,
  );
};

const feedSection = (here: Here, feed: Feed, baseUrl: string) => {
  const { key, name, posts, planned } = feed;
  const isOpen = posts.length > 0 || planned.length > 0;
  return html`<section class="box" id="${key}" aria-label="${name}"><details${isOpen && html` open`}>
<summary><h2>${name}</h2> <span class="faint" id="count-${key}" data-live>${posts.length === 0 ? 'no posts' : posts.length === 1 ? '1 post' : `${posts.length === postsPerNetwork ? 'the last ' : ''}${posts.length} posts`}</span></summary>
<div id="feed-${key}" data-live>
${posts.length === 0 ? html`<p class="faint">Nothing was posted here yet.</p>` : html`<ul class="plain feed">${threads(posts).map((post) => postItem(post, posts, feed, baseUrl))}</ul>`}
</div>
${isOneOf(here, admins) && faultForm(feed)}
</details></section>`;
};

/** Those that answer to none of the others. */
const threads = (posts: readonly FeedPost[]) =>
  posts.filter(({ replyTo }) => replyTo === undefined || !posts.some(({ id }) => id === replyTo));

const postItem = (post: FeedPost, all: readonly FeedPost[], feed: Feed, baseUrl: string): Html => {
  const replies = all.filter(({ replyTo }) => replyTo === post.id).toReversed();
  const { numbers } = post;
  return html`<li>
<p><strong>${post.authorName}</strong> <span class="faint">${moment(post.createdAt)}${post.replyTo !== undefined && ' · a reply'}</span></p>
<p class="text">${post.text || html`<span class="faint">(no text)</span>`}</p>
${post.media.length > 0 && html`<p class="media">${post.media.map((file) => mediaItem(file, baseUrl))}</p>`}
${numbers && feed.metrics.length > 0 && html`<p class="faint">${feed.metrics.map((name) => `${name} ${numbers[name]}`).join(' · ')}</p>`}
${replies.length > 0 && html`<ul class="plain replies">${replies.map((reply) => postItem(reply, all, feed, baseUrl))}</ul>`}
</li>`;
};

/** Networks that fetch media know the address; the others were sent the bytes. */
const mediaItem = (file: SandboxPost['media'][number], baseUrl: string) => {
  const path = file.startsWith(`${baseUrl}/media/`) ? file.slice(baseUrl.length) : undefined;
  return path === undefined
    ? html`<span class="state">${nameOf(file)}</span>`
    : html`<img src="${path}?size=thumbnail" alt="A picture of the post" loading="lazy">`;
};

const nameOf = (file: string) => {
  const name = URL.canParse(file) ? `file ${file.split('/').at(-1)}` : file;
  return name.length > 30 ? `${name.slice(0, 30)}…` : name;
};

const faultForm = ({
  key,
  name,
  planned,
}: Feed) => html`<details class="faults"${planned.length > 0 && html` open`}><summary>Let it misbehave</summary>
${
  planned.length > 0 &&
  html`<ul>${planned.map(
    ({ moment, fault, times }) =>
      html`<li><form data-api="POST /api/app/sandbox/faults">
<input type="hidden" name="network" value="${key}"><input type="hidden" name="moment" value="${moment}"><input type="hidden" name="fault" value="">
When ${moments[moment]}: <code>${fault}</code>, ${times === null ? 'every time' : times === 1 ? 'once' : `${times} times`} <button class="quiet small" aria-label="Take back ${fault} of ${name}">Take back</button>${problem}</form></li>`,
  )}</ul>`
}
<form class="fields" data-api="POST /api/app/sandbox/faults">
<input type="hidden" name="network" value="${key}">
<label>When<select name="moment">${faultMoments.map((moment) => html`<option value="${moment}"${moment === 'publish' && html` selected`}>${moments[moment]}</option>`)}</select></label>
<label>What goes wrong<select name="fault">${Object.entries(faults).map(([fault, says]) => html`<option value="${fault}">${fault}: ${says}</option>`)}</select></label>
<label>How often<input name="times" type="number" min="1" max="1000" value="1" required></label>
<button class="quiet" aria-label="Plan it for ${name}">Plan it</button>
${problem}
</form>
<p class="faint">A text can ask for it too: <code>[sandbox:429]</code> does it once, <code>[sandbox:429!]</code> every time.</p>
</details>`;
