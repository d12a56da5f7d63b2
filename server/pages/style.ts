import { createHash } from 'node:crypto';
import { Router } from 'express';

const css = `
:root {
  color-scheme: light dark;
  --ground: #f5f5f2; --paper: #ffffff; --ink: #1d1f22; --faint: #5b616a; --line: #d5d7da;
  --accent: #8a4b08; --on-accent: #ffffff; --warn: #fff4d6; --bad: #a3211c;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #16181b; --paper: #1f2226; --ink: #eceef0; --faint: #a9b0b8; --line: #3a3f46;
    --accent: #f0b35e; --on-accent: #1d1f22; --warn: #40350f; --bad: #ff9b93;
  }
}
*, ::before, ::after { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
a { color: var(--accent); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
h1 { margin: 0 0 1rem; font-size: 1.4rem; line-height: 1.25; }
h2 { margin: 2rem 0 .5rem; font-size: 1.1rem; }
p, ul, dl, form, fieldset { margin: 0 0 1rem; }
dl { display: grid; grid-template-columns: auto 1fr; gap: .25rem 1rem; }
dt { color: var(--faint); }
dd { margin: 0; }
fieldset { padding: 0; border: 0; }
legend { padding: 0; margin-bottom: .5rem; font-weight: 600; }
textarea { resize: vertical; }
[aria-invalid=true] { border-color: var(--bad) !important; }
label { display: block; margin-bottom: .75rem; }
label.check { display: flex; gap: .6rem; align-items: baseline; margin-bottom: .5rem; }
label.check.row { align-items: center; }
.hint { display: block; color: var(--faint); font-size: .9rem; }
input:not([type=checkbox]), textarea, select {
  display: block; width: 100%; margin-top: .25rem; padding: .55rem .7rem; border: 1px solid var(--faint);
  border-radius: .4rem; background: var(--paper); color: inherit; font: inherit;
}
input[type=checkbox] { flex: none; inline-size: 1.1rem; block-size: 1.1rem; margin: 0; accent-color: var(--accent); }
button, .button {
  display: inline-block; padding: .6rem 1.2rem; border: 1px solid var(--accent); border-radius: .4rem; cursor: pointer;
  background: var(--accent); color: var(--on-accent); font: inherit; font-weight: 600; text-decoration: none;
}
button.quiet, .button.quiet { background: transparent; color: var(--accent); }
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
.note { padding: .75rem 1rem; border-radius: .4rem; background: var(--warn); }
.error { color: var(--bad); font-weight: 600; }
.brand { color: inherit; font-weight: 700; text-decoration: none; }
.card { max-width: 29rem; margin: 0 auto; padding: 8vh 1rem 2rem; }
.card .brand { display: block; margin-bottom: 1rem; text-align: center; }
.paper { padding: 1.75rem; border: 1px solid var(--line); border-radius: .75rem; background: var(--paper); }
.top { border-bottom: 1px solid var(--line); background: var(--paper); }
.top > div, .wide { max-width: 68rem; margin: 0 auto; padding: 1rem; }
.top > div { display: flex; flex-wrap: wrap; gap: .5rem 1.5rem; align-items: center; }
.top nav { display: flex; flex-wrap: wrap; gap: 1rem; flex: 1; }
.top nav a { text-decoration: none; white-space: nowrap; }
.top nav a:hover { text-decoration: underline; }
.top nav a[aria-current] { color: inherit; font-weight: 600; text-decoration: underline; text-decoration-color: var(--accent); text-decoration-thickness: 2px; text-underline-offset: .4em; }
@media (max-width: 62rem) {
  .top .brand { flex: 1; }
  .top nav, .top .faint { order: 1; flex-basis: 100%; }
}
.top form { margin: 0; }
.top button { padding: .3rem .8rem; }
.plain { padding: 0; list-style: none; }
.box { padding: 1rem 1.25rem; margin: 0 0 1rem; border: 1px solid var(--line); border-radius: .75rem; background: var(--paper); }
.narrow { max-width: 32rem; }
.row { display: flex; gap: 1rem; align-items: start; }
.grow { flex: 1; min-width: 0; }
.row .actions { margin-top: .75rem; }
.row p { margin: .25rem 0 0; }
.avatar {
  position: relative; flex: none; display: grid; place-items: center; inline-size: 2.5rem; block-size: 2.5rem; overflow: hidden;
  border-radius: 50%; background: var(--line); font-weight: 600;
}
.avatar img { position: absolute; inset: 0; inline-size: 100%; block-size: 100%; object-fit: cover; }
.tiles { display: grid; grid-template-columns: repeat(auto-fill, minmax(13rem, 1fr)); gap: .75rem; }
.tile {
  display: flex; gap: .5rem; justify-content: space-between; align-items: center; padding: .75rem 1rem; border: 1px solid var(--line);
  border-radius: .5rem; background: var(--paper); text-decoration: none;
}
.tile:hover { border-color: var(--accent); }
.actions form { margin: 0; }
.confirm[open] { flex-basis: 100%; order: 1; }
.confirm > p { margin: .75rem 0; }
.confirm > summary { list-style: none; }
.confirm > summary::-webkit-details-marker { display: none; }
.results > li { padding: .35rem 0; border-top: 1px solid var(--line); }
.results p { margin: 0; }
.results .confirm, .results .confirm > p { margin: .5rem 0; }
.doubt { padding-inline-start: .75rem; border-inline-start: 3px solid var(--accent); }
summary { cursor: pointer; }
summary h2 { display: inline; margin: 0; }
section.box > h2 { margin-top: 0; }
.feed { margin-top: 1rem; }
.feed li { padding: .75rem 0; border-top: 1px solid var(--line); }
.feed p { margin: 0 0 .35rem; }
.feed > li > .replies { margin-inline-start: 1.5rem; }
.replies { margin: .5rem 0 0; }
.replies li { padding-block: .5rem 0; }
.media { display: flex; flex-wrap: wrap; gap: .5rem; }
.media img { max-inline-size: 10rem; max-block-size: 10rem; border-radius: .4rem; }
.faults { margin-top: .75rem; }
.faults form { margin: .5rem 0; }
.fields { display: grid; grid-template-columns: repeat(auto-fit, minmax(10rem, 1fr)); gap: .75rem; align-items: end; }
.fields label { margin: 0; }
.fields > .error { grid-column: 1 / -1; margin: 0; }
.text { white-space: pre-wrap; margin: 0 0 .5rem; }
.state { display: inline-block; padding: 0 .6rem; border: 1px solid currentColor; border-radius: 1rem; font-size: .85rem; white-space: nowrap; }
output { display: block; padding: .6rem; border: 1px dashed var(--faint); border-radius: .4rem; font-family: monospace; }
[hidden] { display: none !important; }
code { font-size: .95em; }
.toasts { position: fixed; inset: auto 1rem 1rem auto; display: grid; gap: .5rem; max-width: 24rem; }
.toast { padding: .75rem 1rem; border-radius: .5rem; background: var(--accent); color: var(--on-accent); }
`.trimStart();

const version = createHash('sha256').update(css).digest('base64url').slice(0, 8);

export const stylesheet = `/assets/posthorn.css?v=${version}`;

/** `/assets/posthorn.css`: the address changes with the text, so browsers may keep it. */
export const styleRoutes = (): Router =>
  Router().get('/assets/posthorn.css', (_req, res) => {
    res.setHeader('cache-control', 'public, max-age=31536000, immutable');
    res.type('css').send(css);
  });
