// Turns the Markdown of docs/ into the pages of the help site. docs/README.md is its front page, and the lists there are its menu.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { Marked } from 'marked';

const indexPath = 'docs/README.md';

const escapes = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
export const escapeHtml = (text) => text.replace(/[&<>"]/g, (sign) => escapes[sign]);

/** Builds the anchor of a heading as GitHub does, so that one link works in both places. */
const slugOf = (heading) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_ -]/gu, '')
    .trim()
    .replaceAll(' ', '-');

const plainText = (html) =>
  html
    .replace(/<[^>]*>/g, ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
    .replace(/\s+/g, ' ')
    .trim();

/** `docs/networks/x.md` is at /help/networks/x, `ops/README.md` at /help/ops. */
const addressOf = (path) => {
  if (path === indexPath) return '/help';
  const name = path.replace(/^docs\//, '').replace(/(\/README)?\.md$/, '');
  return `/help/${path.startsWith('docs/') ? name : name.toLowerCase().replaceAll('/', '-')}`;
};

const linkTarget = (from, href) => {
  const [file = '', anchor] = href.split('#');
  return { path: file === '' ? from : normalize(join(dirname(from), file)), anchor };
};

/** The menu: each `## ` of the index with the links of its list. */
const readMenu = (text) =>
  text
    .split(/^## /m)
    .slice(1)
    .map((section) => ({
      title: section.slice(0, section.indexOf('\n')).trim(),
      items: [...section.matchAll(/^- \[([^\]]+)\]\(([^)#\s]+\.md)\)/gm)].map(([, label, href]) => ({
        label,
        path: linkTarget(indexPath, href).path,
      })),
    }))
    .filter(({ items }) => items.length > 0);

const markdownIn = (root, folder) =>
  readdirSync(join(root, folder), { recursive: true })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name));

const createRenderer = ({ path, pages, pictures, repository }) => {
  const sections = [];
  const used = new Map();
  const uniqueSlug = (heading) => {
    const slug = slugOf(heading);
    const count = used.get(slug) ?? 0;
    used.set(slug, count + 1);
    return count === 0 ? slug : `${slug}-${count}`;
  };
  const note = (html) => sections.at(-1)?.html.push(html);
  const renderer = {
    heading({ tokens, depth }) {
      const html = this.parser.parseInline(tokens);
      const title = plainText(html);
      const slug = uniqueSlug(title);
      sections.push({ title, slug, depth, html: [] });
      if (depth === 1) return `<h1 id="${slug}">${html}</h1>\n`;
      const label = escapeHtml(`Link to ${title}`);
      return `<h${depth} id="${slug}">${html} <a class="anchor" href="#${slug}" aria-label="${label}">#</a></h${depth}>\n`;
    },
    paragraph({ tokens }) {
      const html = this.parser.parseInline(tokens);
      note(html);
      return `<p>${html}</p>\n`;
    },
    listitem(item) {
      const html = this.parser.parse(item.tokens, !!item.loose);
      note(html);
      return `<li>${html}</li>\n`;
    },
    table(token) {
      const row = (cells, tag) =>
        `<tr>${cells.map(({ tokens }) => `<${tag}>${this.parser.parseInline(tokens)}</${tag}>`).join('')}</tr>`;
      const head = row(token.header, 'th').replaceAll('<th>', '<th scope="col">');
      const rows = token.rows.map((cells) => row(cells, 'td')).join('\n');
      note(rows);
      // Wide tables scroll on a phone, and the keyboard scrolls only an element that can have the focus.
      const name = escapeHtml(sections.at(-1)?.title ?? 'Table');
      return `<div class="wide" role="region" tabindex="0" aria-label="Table: ${name}"><table><thead>${head}</thead><tbody>${rows}</tbody></table></div>\n`;
    },
    code({ text, lang = '' }) {
      note(escapeHtml(text));
      const [language = '', file] = lang.split(' ');
      const caption = file ? `<figcaption>${escapeHtml(file)}</figcaption>` : '';
      return `<figure class="code">${caption}<pre tabindex="0" data-language="${escapeHtml(language)}"><code>${escapeHtml(text)}</code></pre></figure>\n`;
    },
    html: ({ text }) => (text.startsWith('<!--') ? '' : escapeHtml(text)),
    image: ({ href, text }) => {
      const { path: file } = linkTarget(path, href);
      pictures.add(file);
      const { width, height } = pictures.sizeOf(file);
      const size = width ? ` width="${width}" height="${height}"` : '';
      return `<img src="/help/${file.replace(/^docs\//, '')}" alt="${escapeHtml(text)}"${size} loading="lazy">`;
    },
    link({ href, tokens }) {
      const text = this.parser.parseInline(tokens);
      if (/^(https?:|mailto:)/.test(href)) return `<a href="${escapeHtml(href)}">${text}</a>`;
      if (href.startsWith('/')) return `<a href="${escapeHtml(href)}">${text}</a>`;
      const { path: target, anchor } = linkTarget(path, href);
      const fragment = anchor ? `#${anchor}` : '';
      if (pages.has(target)) return `<a href="${target === path ? '' : addressOf(target)}${fragment}">${text}</a>`;
      // A file of the source tree: there is a URL only if package.json names the repository.
      return repository
        ? `<a href="${repository}/blob/main/${target}${fragment}">${text}</a>`
        : `<span class="file" title="${escapeHtml(target)}, in the source tree">${text}</span>`;
    },
  };
  return { marked: new Marked({ gfm: true, renderer }), sections };
};

/** Width and height of a PNG, so that the page does not shift while pictures load. Halved, because pictures are 2×. */
const createPictures = (root) => {
  const files = new Set();
  return {
    add: (file) => files.add(file),
    files,
    sizeOf: (file) => {
      if (!file.endsWith('.png') || !existsSync(join(root, file))) return {};
      const bytes = readFileSync(join(root, file));
      return { width: bytes.readUInt32BE(16) / 2, height: bytes.readUInt32BE(20) / 2 };
    },
  };
};

/** All pages in the order of the menu, with their HTML and the sections for the search index. */
export const readPages = (root) => {
  const index = readFileSync(join(root, indexPath), 'utf8');
  const menu = readMenu(index);
  const listed = menu.flatMap(({ items }) => items.map(({ path }) => path));
  const paths = new Set([
    indexPath,
    ...listed.filter((path) => existsSync(join(root, path))),
    ...markdownIn(root, 'docs'),
  ]);
  const { repository } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const address = (repository?.url ?? repository)?.replace(/^git\+|\.git$/g, '');
  const pictures = createPictures(root);
  const pages = [...paths].map((path) => {
    const text = path === indexPath ? index : readFileSync(join(root, path), 'utf8');
    const { marked, sections } = createRenderer({ path, pages: paths, pictures, repository: address });
    const html = marked.parse(text);
    const first = sections[0];
    return {
      path,
      address: addressOf(path),
      title: first?.title ?? path,
      description: plainText(first?.html[0] ?? '').slice(0, 200),
      html,
      sections: sections.map(({ title, slug, depth, html: parts }) => ({
        title,
        slug,
        depth,
        text: plainText(parts.join(' ')),
      })),
    };
  });
  return { pages, menu, pictures: [...pictures.files] };
};
