import type { ServerResponse } from 'node:http';
import { type Html, html, type Part } from './html.ts';
import { stylesheet } from './style.ts';

/**
 * Our own script, no frame, nothing from elsewhere. `form-action` is left open: it would also stop the redirect that takes
 * somebody back to the app they came from. `script-src` is there for the identity provider, which adds a hash to it.
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

/** One thing to read or decide, in the middle of the page. */
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

/** `namesOrigin`: a form on it is sent with our origin, which browsers leave out where no referrer may be sent. */
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
