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
