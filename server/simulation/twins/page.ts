import { type Request, type Response, Router } from 'express';
import { html } from '#server/base/pages/html';
import { plainPage, sendPage } from '#server/base/pages/layout';
import { styleRoutes } from '#server/base/pages/style';
import type { Network } from '#server/networks/network';
import type { LoggedRequest } from './request-log.ts';
import type { Twins } from './twins.ts';

const postsShown = 100;
const requestsShown = 20;

type TwinPost = Awaited<ReturnType<Twins['posts']>>[number];

/** What was posted, for people, and the files that this page and the consent pages load. */
export const pageRoutes = (twins: Twins): Router => {
  const show = async (req: Request, res: Response) => {
    const chosen = twins.networks.find(({ key }) => key === req.query.network);
    const all = await twins.posts({});
    const posts = all.filter(({ network }) => network === (chosen?.key ?? network));
    const requests = twins.requests.list({ network: chosen?.key });
    sendPage(res, arrivalsPage({ twins, chosen, all, posts, requests }));
  };
  const router = Router();
  // Post URLs point to /sandbox.
  router.get(['/', '/sandbox'], show);
  router.get('/twins.js', (_req, res) => void res.type('js').send(script));
  // Consent pages ask for it. The stylesheet follows the system by itself.
  router.get('/color-scheme.js', (_req, res) => void res.type('js').send(''));
  router.get('/favicon.svg', (_req, res) => void res.type('svg').send(icon));
  return router.use(styleRoutes({ hasFont: false }));
};

const arrivalsPage = ({
  twins,
  chosen,
  all,
  posts,
  requests,
}: {
  twins: Twins;
  chosen: Network | undefined;
  all: readonly TwinPost[];
  posts: readonly TwinPost[];
  requests: readonly LoggedRequest[];
}) => {
  const nameOf = (key: string) => twins.networks.find((network) => network.key === key)?.name ?? key;
  const link = (label: string, href: string, count: number, isCurrent: boolean) =>
    html`<a href="${href}"${isCurrent && html` aria-current="page"`}>${label} (${count})</a>`;
  const title = chosen ? `${chosen.name}: what was posted` : 'What was posted';
  return plainPage({
    title,
    script: '/twins.js',
    body: html`<div id="arrivals">
<header class="top"><div><span class="brand">Twins</span><nav aria-label="Networks">
${link('All', '/', all.length, chosen === undefined)}
${twins.networks.map(({ key, name }) =>
  link(name, `/?network=${key}`, all.filter(({ network }) => network === key).length, chosen?.key === key),
)}
</nav></div></header>
<main class="wide">
<h1>${title}</h1>
<p class="note">These are not the real networks: nothing here is public. Kept in memory until the program ends or is reset.</p>
<p class="faint">${clockLine(twins.clock.aheadMs())}</p>
<h2>Posts</h2>
${posts.length === 0 && html`<p>Nothing has been posted yet.</p>`}
${posts.slice(0, postsShown).map((post) => postCard(post, nameOf(post.network)))}
${posts.length > postsShown && html`<p class="faint">The newest ${postsShown} of ${posts.length}.</p>`}
<h2>Requests</h2>
${requests.length === 0 ? html`<p>No request has arrived yet.</p>` : requestTable(requests.slice(0, requestsShown), nameOf)}
</main></div>
<div class="wide"><button type="button" class="quiet" id="pause" hidden>Pause refreshing</button> <span role="status" id="state"></span></div>`,
  });
};

/** Shows the offset, because the time itself would change the page at every refresh. */
const clockLine = (aheadMs: number) =>
  aheadMs === 0
    ? 'The clock of the twins shows the true time.'
    : `The clock of the twins is ${Math.round(aheadMs / 60_000)} minutes ahead.`;

const postCard = ({ id, authorName, text, media, replyTo, createdAt }: TwinPost, network: string) =>
  html`<article class="box">
<h3>${authorName} on ${network}</h3>
<p class="text">${text}</p>
${media.length > 0 && html`<ul>${media.map((file) => html`<li>${file}</li>`)}</ul>`}
<p class="faint">${timeOf(createdAt)} · <code>${id}</code>${replyTo !== undefined && html` · answers <code>${replyTo}</code>`}</p>
</article>
`;

const requestTable = (requests: readonly LoggedRequest[], nameOf: (key: string) => string) =>
  html`<table><caption>The newest first, at most ${requestsShown}</caption>
<thead><tr><th scope="col">Time</th><th scope="col">Network</th><th scope="col">Request</th><th scope="col">Answer</th></tr></thead>
<tbody>
${requests.map(
  ({ at, network, method, path, status }) =>
    html`<tr><td>${timeOf(at)}</td><td>${nameOf(network)}</td><td><code>${method} ${path}</code></td><td>${status ?? 'none'}</td></tr>
`,
)}</tbody></table>`;

const timeOf = (instant: string) =>
  html`<time datetime="${instant}">${instant.slice(0, 19).replace('T', ' ')} UTC</time>`;

/** A separate file, because the security policy of our pages allows no inline script. */
const script = `const everyMs = 2000;
const pause = document.getElementById('pause');
const state = document.getElementById('state');
let isPaused = false;

const say = (text) => {
  if (state.textContent !== text) state.textContent = text;
};

const refresh = async () => {
  if (isPaused || document.hidden) return;
  try {
    const answer = await fetch(location.href, { headers: { accept: 'text/html' } });
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
    const [now, next] = [document, page].map((one) => one.getElementById('arrivals'));
    if (!next) throw new Error();
    // Whoever is in the middle of the list keeps the focus and what they marked.
    const isInUse = now.contains(document.activeElement) || !getSelection().isCollapsed;
    if (!isInUse && now.innerHTML !== next.innerHTML) now.replaceWith(document.importNode(next, true));
    say('');
  } catch {
    say('The twins do not answer: this is what they showed last.');
  }
};

pause.hidden = false;
pause.addEventListener('click', () => {
  isPaused = !isPaused;
  pause.textContent = isPaused ? 'Go on refreshing' : 'Pause refreshing';
  refresh();
});
setInterval(refresh, everyMs);
`;

const icon =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32" role="img" aria-label="Posthorn"><rect width="32" height="32" rx="8" fill="#F5B90A"/><g fill="none" stroke="#14171F" stroke-width="2.8" stroke-linecap="round" stroke-linejoin="round"><circle cx="13.5" cy="18.4" r="6.6"/><path d="M4.5 11.8H19M4.5 9.8v4"/><path d="M18.5 11.8c4 0 7-2 9-6v12c-2-4-5-6-9-6Z" fill="#14171F" stroke-width="1.5"/></g></svg>';
