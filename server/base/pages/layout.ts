import type { ServerResponse } from 'node:http';
import { type Html, html, type Part } from './html.ts';
import { stylesheet } from './style.ts';

/**
 * Own scripts only, no frames, nothing from other origins. `form-action` is not set, because it would also block the OAuth
 * redirect back to the client. `script-src` is explicit because the identity provider appends a hash to it.
 */
export const pageSecurity = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** A centred card with one thing to read or decide. */
export const cardPage = ({ title, body }: { title: string; body: Part }) =>
  document({
    title,
    head: html`<script src="/color-scheme.js"></script>`,
    body: html`<main class="card">
<a class="brand" href="/"><img src="/favicon.svg" alt="Posthorn" width="36" height="36"></a>
<div class="paper">
<h1>${title}</h1>
${body}
</div>
</main>`,
  });

/** Somebody decides whether Posthorn may act for them. The heading has the focus, so that no key decides by accident. */
export const consentCardPage = ({
  title,
  lead,
  band,
  badge: { code, color },
  icon,
  body,
}: {
  title: string;
  lead: string;
  band: string;
  badge: { readonly code: string; readonly color: string };
  /** An SVG path, 24 by 24. */
  icon: string | undefined;
  body: Part;
}) =>
  document({
    title,
    head: html`<script src="/color-scheme.js"></script><script src="/consent.js" defer></script>`,
    body: html`<main class="consent">
<div class="paper">
<p class="band">${flask}${band}</p>
<div class="pair" aria-hidden="true">
<svg width="52" height="52" viewBox="0 0 52 52"><rect x=".5" y=".5" width="51" height="51" rx="14" fill="${color}" stroke="currentColor" stroke-opacity=".6"/>${
      icon === undefined
        ? html`<text x="26" y="33" text-anchor="middle" fill="#fff" font-size="20" font-weight="650">${code}</text>`
        : html`<path transform="translate(12 12) scale(1.167)" fill="#fff" d="${icon}"/>`
    }</svg>
<span class="dash"></span>${arrows}<span class="dash"></span>
<img src="/favicon.svg" alt="" width="52" height="52">
</div>
<h1 tabindex="-1" autofocus>${title}</h1>
<p class="lead">${lead}</p>
${body}
</div>
</main>`,
  });

const flask = html`<svg width="16" height="16" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"><path d="M14 2v6a2 2 0 0 0 .245.96l5.51 10.08A2 2 0 0 1 18 22H6a2 2 0 0 1-1.755-2.96l5.51-10.08A2 2 0 0 0 10 8V2M6.453 15h11.094M8.5 2h7"/></svg>`;
const arrows = html`<svg width="16" height="16" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round"><path d="m16 3 4 4-4 4M20 7H4M8 21l-4-4 4-4M4 17h16"/></svg>`;

/** A page that is none of the app's: it follows the colours of the system. */
export const plainPage = ({ title, script, body }: { title: string; script: string; body: Html }) =>
  document({ title, head: html`<script src="${script}" defer></script>`, body });

const document = ({ title, head, body }: { title: string; head: Html; body: Html }) => html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Posthorn</title>
${head}
<link rel="icon" type="image/svg+xml" href="/favicon.svg">
<link rel="stylesheet" href="${stylesheet}">
</head>
<body>
${body}
</body>
</html>
`;

/** `namesOrigin`: for a page with a form, because browsers send `Origin: null` under `no-referrer`. */
export const sendPage = (res: ServerResponse, page: Html, status = 200, { namesOrigin = false } = {}) => {
  const text = page.toString();
  res.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'content-length': Buffer.byteLength(text),
    'content-security-policy': pageSecurity,
    'cache-control': 'no-store',
    'referrer-policy': namesOrigin ? 'same-origin' : 'no-referrer',
    'x-frame-options': 'DENY',
    'x-content-type-options': 'nosniff',
  });
  res.end(text);
};
