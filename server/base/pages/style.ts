import { Router } from 'express';
import { sha256 } from '#server/base/sha256';

const dark = `color-scheme: dark;
  --ground: #0c0e12; --paper: #14171d; --ink: #eceef2; --on-ink: #14171f; --ink-hover: #ffffff; --faint: #969ead;
  --line: #252a34; --field: #3a414e; --control: #7c8494; --hover: #1e232c; --link: #a3b5ff; --warn: #2c1a33; --on-warn: #e2aaf1; --bad: #ff9d95;`;

const fontFace = `
@font-face {
  font-family: 'Geist Variable'; font-display: swap; font-weight: 100 900;
  src: url('/geist.woff2') format('woff2-variations');
}`;

const css = `
@font-face {
  font-family: 'Geist Fallback'; src: local('Arial'), local('Liberation Sans'), local('Arimo');
  size-adjust: 102%; ascent-override: 98.5%; descent-override: 29%; line-gap-override: 0%;
}
:root {
  color-scheme: light;
  --ground: #f0f1f4; --paper: #ffffff; --ink: #14171f; --on-ink: #ffffff; --ink-hover: #2a2f3b; --faint: #5f6675;
  --line: #e4e6eb; --field: #ced2da; --control: #7c8391; --hover: #f2f3f6; --link: #2647c5; --warn: #f6eaf9; --on-warn: #7a2e8e; --bad: #b3261e;
}
[data-mantine-color-scheme=dark] {
  ${dark}
}
/* Where no script sets the attribute. */
@media (prefers-color-scheme: dark) { :root:not([data-mantine-color-scheme]) {
  ${dark}
} }
*, ::before, ::after { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink); font: .875rem/1.25rem 'Geist Variable', 'Geist Fallback', system-ui, sans-serif; overflow-wrap: anywhere; }
a { color: var(--link); }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
h1 { margin: 0 0 12px; font-size: 1.25rem; line-height: 1.75rem; font-weight: 600; }
h2 { margin: 32px 0 8px; font-size: 0.875rem; }
p, ul, dl, form, fieldset { margin: 0 0 1rem; }
dl { display: grid; grid-template-columns: auto 1fr; gap: .25rem 1rem; }
dt { color: var(--faint); }
dd { margin: 0; }
fieldset { padding: 0; border: 0; }
legend { padding: 0; margin-bottom: 8px; font-size: 0.8125rem; font-weight: 550; }
textarea { resize: vertical; }
[aria-invalid=true] { border-color: var(--bad) !important; }
label { display: block; margin-bottom: 16px; font-size: 0.8125rem; font-weight: 550; }
label.check { display: flex; gap: 8px; align-items: center; margin-bottom: 8px; font-weight: 400; }
input:not([type=checkbox]), textarea, select {
  display: block; width: 100%; margin-top: 6px; padding: 7px 10px; border: 1px solid var(--field);
  border-radius: 8px; background: var(--paper); color: inherit; font: inherit; font-size: 0.875rem; font-weight: 400;
}
input[type=checkbox] {
  flex: none; display: grid; place-items: center; inline-size: 18px; block-size: 18px; margin: 0; appearance: none;
  border: 1px solid var(--control); border-radius: 5px; background: var(--paper);
}
input[type=checkbox]:checked { border-color: var(--ink); background: var(--ink); }
input[type=checkbox]:checked::before {
  content: ""; inline-size: 10px; block-size: 10px; background: var(--on-ink);
  clip-path: polygon(0 56%, 14% 42%, 36% 64%, 86% 12%, 100% 26%, 36% 92%);
}
@media (forced-colors: active) { input[type=checkbox] { appearance: auto; } }
button, .button {
  display: inline-block; padding: 6px 14px; border: 1px solid var(--ink); border-radius: 8px; cursor: pointer;
  background: var(--ink); color: var(--on-ink); font: inherit; font-weight: 550; text-decoration: none;
}
button:hover, .button:hover { background: var(--ink-hover); }
button.quiet, .button.quiet { border-color: var(--field); background: var(--paper); color: var(--ink); }
button.quiet:hover, .button.quiet:hover { background: var(--hover); }
button.small, .row .button, .row button, .results .button, .results button { padding: .25rem .8rem; }
[aria-busy=true] button { opacity: .6; cursor: progress; }
table { width: 100%; margin-bottom: 1rem; border-collapse: collapse; }
td form { margin: 0; }
button + .faint { margin-top: .75rem; }
.box > :last-child, .paper form > :last-child { margin-bottom: 0; }
.error:empty { display: none; }
th, td { padding: .5rem; border-bottom: 1px solid var(--line); text-align: start; vertical-align: top; }
.actions { display: flex; flex-wrap: wrap; gap: .75rem; margin-top: 1.5rem; }
.faint { color: var(--faint); }
.note { padding: 10px 12px; border-radius: 8px; background: var(--warn); }
.error { color: var(--bad); font-weight: 550; }
.brand { color: inherit; font-weight: 700; text-decoration: none; }
.card { max-width: 29rem; margin: 0 auto; padding: 8vh 1rem 2rem; }
.card .brand { display: block; margin-bottom: 1rem; text-align: center; }
.paper { padding: 24px; border: 1px solid var(--line); border-radius: 12px; background: var(--paper); }
.consent { max-width: 30.5rem; margin: 0 auto; padding: 4vh 1rem 2rem; }
.consent .paper { padding: 0 28px 24px; overflow: hidden; }
.consent h1 { margin: 0; }
.consent h1:focus { outline: none; }
.lead { margin: 0 0 1.5rem; color: var(--faint); }
.band { display: flex; gap: 8px; justify-content: center; align-items: center; margin: 0 -28px 24px; padding: 10px 28px; background: var(--warn); color: var(--on-warn); font-size: .8125rem; font-weight: 600; }
.pair { display: flex; gap: 10px; align-items: center; margin-bottom: 1.25rem; color: var(--faint); }
.pair .dash { width: 22px; border-top: 1px dashed var(--field); }
.pair img, .pair > svg:first-child { border-radius: 14px; forced-color-adjust: none; }
.consent legend { width: 100%; margin: 0; padding-bottom: 8px; border-bottom: 1px solid var(--line); font-weight: 600; }
.permission { display: flex; gap: 12px; align-items: start; margin: 0; padding: 9px 0; border-bottom: 1px solid var(--line); font-size: .875rem; font-weight: 550; }
.permission:last-child { border-bottom: 0; }
.permission input { margin-top: 2px; }
.permission .words { flex: 1; min-width: 50%; }
.permission .why { display: block; color: var(--faint); font-size: .8125rem; font-weight: 400; }
.permission code { max-width: 45%; color: var(--faint); font-size: .75rem; font-weight: 400; }
@media (max-width: 30rem) {
  .permission { flex-wrap: wrap; }
  .permission code { flex-basis: 100%; max-width: none; padding-inline-start: 28px; }
}
.at { position: relative; display: block; }
.at::before { content: "@"; position: absolute; inset-block-end: 8px; inset-inline-start: 10px; color: var(--faint); font-size: .875rem; font-weight: 400; }
.consent .at input { padding-inline-start: 24px; }
.consent details { margin: -8px 0 1.25rem; font-size: .8125rem; }
.consent .actions button { padding: .5rem 1rem; min-height: 2.5rem; }
.consent .actions .main { flex: 1; }
.consent .actions .quiet { border-color: transparent; }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); padding: 0; border: 0; }
.top { border-bottom: 1px solid var(--line); background: var(--paper); }
.top > div, .wide { max-width: 68rem; margin: 0 auto; padding: 1rem; }
.top > div { display: flex; flex-wrap: wrap; gap: .5rem 1.5rem; align-items: center; }
.top nav { display: flex; flex-wrap: wrap; gap: 1rem; flex: 1; }
.top nav a { text-decoration: none; white-space: nowrap; }
.top nav a:hover { text-decoration: underline; }
.top nav a[aria-current] { color: inherit; font-weight: 600; text-decoration: underline; text-decoration-color: var(--ink); text-decoration-thickness: 2px; text-underline-offset: .4em; }
@media (max-width: 62rem) {
  .top .brand { flex: 1; }
  .top nav, .top .faint { order: 1; flex-basis: 100%; }
}
.top form { margin: 0; }
.top button { padding: .3rem .8rem; }
.plain { padding: 0; list-style: none; }
.box { padding: 1rem 1.25rem; margin: 0 0 1rem; border: 1px solid var(--line); border-radius: .75rem; background: var(--paper); }
.narrow { max-width: 32rem; }
.hint { display: block; color: var(--faint); font-weight: 400; }
.row { display: flex; gap: 1rem; align-items: start; }
.grow { flex: 1; min-width: 0; }
.row .actions { margin-top: .75rem; }
.row p { margin: .25rem 0 0; }
.actions form { margin: 0; }
.confirm[open] { flex-basis: 100%; order: 1; }
.confirm > p { margin: .75rem 0; }
.confirm > summary { list-style: none; }
.confirm > summary::-webkit-details-marker { display: none; }
.results > li { padding: .35rem 0; border-top: 1px solid var(--line); }
.results p { margin: 0; }
.results .confirm, .results .confirm > p { margin: .5rem 0; }
.doubt { padding-inline-start: .75rem; border-inline-start: 3px solid var(--ink); }
summary { cursor: pointer; }
.text { white-space: pre-wrap; margin: 0 0 .5rem; }
.state { display: inline-block; padding: 0 .6rem; border: 1px solid currentColor; border-radius: 1rem; font-size: .85rem; white-space: nowrap; }
output { display: block; padding: .6rem; border: 1px dashed var(--faint); border-radius: .4rem; font-family: monospace; }
[hidden] { display: none !important; }
code { font-size: .95em; }
.toasts { position: fixed; inset: auto 1rem 1rem auto; display: grid; gap: .5rem; max-width: 24rem; }
.toast { padding: .75rem 1rem; border-radius: .5rem; background: var(--ink); color: var(--on-ink); }
`.trimStart();

const version = sha256(fontFace + css, 'base64url').slice(0, 8);

export const stylesheet = `/assets/posthorn.css?v=${version}`;

/**
 * `/assets/posthorn.css`: its query has a hash of the content, so browsers may cache it forever. `hasFont`: whether
 * `/geist.woff2` is served beside it, which comes with the built app.
 */
export const styleRoutes = ({ hasFont }: { hasFont: boolean }): Router =>
  Router().get('/assets/posthorn.css', (_req, res) => {
    res.setHeader('cache-control', 'public, max-age=31536000, immutable');
    res.type('css').send(hasFont ? fontFace + css : css);
  });
