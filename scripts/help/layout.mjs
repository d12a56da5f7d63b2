// The HTML around a page of the help site.
import { escapeHtml } from './pages.mjs';

const menuHtml = (menu, pages, current) => {
  const addressOf = new Map(pages.map(({ path, address }) => [path, address]));
  return menu
    .map(({ title, items }) => {
      const links = items
        .filter(({ path }) => addressOf.has(path))
        .map(({ label, path }) => {
          const mark = path === current ? ' aria-current="page"' : '';
          return `<li><a href="${addressOf.get(path)}"${mark}>${escapeHtml(label)}</a></li>`;
        });
      return `<h2>${escapeHtml(title)}</h2><ul>${links.join('')}</ul>`;
    })
    .join('');
};

const contentsHtml = (sections) => {
  const entries = sections.filter(({ depth }) => depth === 2);
  if (entries.length < 2) return '';
  const links = entries.map(({ title, slug }) => `<li><a href="#${slug}">${escapeHtml(title)}</a></li>`);
  return `<nav class="contents" aria-label="On this page"><h2>On this page</h2><ul>${links.join('')}</ul></nav>`;
};

const neighbours = (menu, pages, current) => {
  const order = menu.flatMap(({ items }) => items).filter(({ path }) => pages.some((page) => page.path === path));
  const place = order.findIndex(({ path }) => path === current);
  if (place < 0) return '';
  const link = (item, rel, word) => {
    if (item === undefined) return '<span></span>';
    const { address } = pages.find(({ path }) => path === item.path);
    return `<a rel="${rel}" href="${address}"><span>${word}</span> ${escapeHtml(item.label)}</a>`;
  };
  return `<nav class="neighbours" aria-label="Pages before and after">${link(order[place - 1], 'prev', 'Before')}${link(order[place + 1], 'next', 'Next')}</nav>`;
};

export const layout = ({ page, pages, menu, version }) => {
  const isFront = page.address === '/help';
  const title = isFront ? 'Posthorn help' : `${page.title} · Posthorn help`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<meta name="description" content="${escapeHtml(page.description)}">
<link rel="icon" type="image/svg+xml" href="/favicon.svg">
<script src="/color-scheme.js"></script>
<link rel="stylesheet" href="/help/help.css">
<script src="/help/search.js" type="module"></script>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header class="top">
<a class="brand" href="/help"><img src="/favicon.svg" alt="" width="20" height="20">Posthorn help</a>
<search class="search" hidden>
<label class="quiet" for="query">Search the help</label>
<input id="query" type="search" autocomplete="off" placeholder="Search" aria-describedby="count" aria-keyshortcuts="/">
<kbd aria-hidden="true">/</kbd>
<p id="count" class="quiet" role="status"></p>
<ol id="results" class="results" hidden></ol>
</search>
<a class="app" href="/">Open Posthorn</a>
</header>
<div class="columns">
<details class="menu"><summary>All pages</summary><nav aria-label="Help">${menuHtml(menu, pages, page.path)}</nav></details>
<nav class="side" aria-label="Help">${menuHtml(menu, pages, page.path)}</nav>
<main id="content" tabindex="-1"><article>${page.html}</article>${neighbours(menu, pages, page.path)}<p class="version">Posthorn ${escapeHtml(version)}. This help is part of the installation and describes this version.</p></main>
${contentsHtml(page.sections)}
</div>
</body>
</html>
`;
};

export const notFoundPage = {
  path: '',
  address: '/help/404',
  title: 'No such page',
  description: 'This page does not exist in this version.',
  html: '<h1>No such page</h1><p>This version of Posthorn has no help page at this address. Search above, or start at <a href="/help">the front page</a>.</p>',
  sections: [],
};
