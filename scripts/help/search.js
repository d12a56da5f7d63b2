// The search of the help site, in the browser. Without it every page can still be read.
const search = document.querySelector('.search');
const field = document.querySelector('#query');
const list = document.querySelector('#results');
const count = document.querySelector('#count');
const maxResults = 12;
/** Heading, title of the page, text. */
const weights = [20, 8, 1];

let index;
const loadIndex = () => {
  index ??= fetch('/help/search.json').then((answer) => {
    if (!answer.ok) throw new Error(`${answer.status}`);
    return answer.json();
  });
  // A failed load is tried again with the next letter.
  index.catch(() => {
    index = undefined;
  });
  return index;
};

const wordsOf = (text) => text.toLowerCase().match(/[\p{L}\p{N}_.]+/gu) ?? [];

/** Every word of the query has to begin a word of the section. Titles count most, and whole words more than beginnings. */
const scoreOf = (words, { heading, page, text }) => {
  let sum = 0;
  for (const word of words) {
    const scores = [heading, page, text].map((place, at) => {
      const matches = wordsOf(place).filter((other) => other.startsWith(word));
      if (matches.length === 0) return 0;
      const whole = matches.includes(word) ? 2 : 1;
      return (weights[at] ?? 1) * whole + Math.min(matches.length, 5) / 5;
    });
    const best = Math.max(...scores);
    if (best === 0) return 0;
    sum += best;
  }
  return sum;
};

const excerptOf = (words, text) => {
  const lower = text.toLowerCase();
  const at = Math.max(0, Math.min(...words.map((word) => lower.indexOf(word)).filter((place) => place >= 0)) - 40);
  const start = Number.isFinite(at) ? at : 0;
  const cut = text.slice(start, start + 140);
  return `${start > 0 ? '… ' : ''}${cut}${start + 140 < text.length ? ' …' : ''}`;
};

/** Text nodes and <mark> elements: nothing of the index is ever read as HTML. */
const withMarks = (text, words) => {
  // A word has letters, digits, `_` and `.` alone.
  const starts = new RegExp(
    `(?<![\\p{L}\\p{N}])(${words.map((word) => word.replaceAll('.', '\\.')).join('|')})`,
    'giu',
  );
  const parts = text.split(starts);
  return parts.map((part, at) => {
    if (at % 2 === 0) return part;
    const mark = document.createElement('mark');
    mark.textContent = part;
    return mark;
  });
};

const element = (name, className, ...children) => {
  const made = document.createElement(name);
  if (className) made.className = className;
  made.append(...children);
  return made;
};

const show = (results, words) => {
  list.replaceChildren(
    ...results.map(({ address, heading, page, text }) => {
      const link = element('a', '');
      link.href = address;
      link.append(
        element('span', 'heading', ...withMarks(heading, words)),
        element('span', 'page', page === heading ? '' : page),
        element('span', 'text', ...withMarks(excerptOf(words, text), words)),
      );
      return element('li', '', link);
    }),
  );
  list.hidden = false;
};

const close = () => {
  list.hidden = true;
  count.textContent = '';
};

const run = async () => {
  const query = field.value;
  const words = wordsOf(query);
  if (words.length === 0) return close();
  let sections;
  try {
    sections = await loadIndex();
  } catch {
    if (field.value === query) {
      list.replaceChildren(element('li', 'none', 'The search could not be loaded. Type again to retry.'));
      list.hidden = false;
    }
    return;
  }
  // Somebody typed on while the index was loading.
  if (field.value !== query) return;
  const results = sections
    .map((section) => ({ ...section, score: scoreOf(words, section) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, maxResults);
  show(results, words);
  if (results.length === 0) list.replaceChildren(element('li', 'none', 'Nothing found. Try another word.'));
  count.textContent = results.length === 0 ? 'Nothing found.' : `${results.length} results.`;
};

const links = () => [field, ...list.querySelectorAll('a')];

search.addEventListener('keydown', (event) => {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step !== undefined && !list.hidden) {
    const all = links();
    const next = all[all.indexOf(document.activeElement) + step];
    event.preventDefault();
    next?.focus();
  }
  if (event.key === 'Enter' && event.target === field) list.querySelector('a')?.click();
  if (event.key === 'Escape') {
    close();
    field.focus();
  }
});
// A result on this page only moves within it.
list.addEventListener('click', close);
field.addEventListener('focus', () => void loadIndex().catch(() => undefined), { once: true });
field.addEventListener('input', run);
search.addEventListener('focusout', ({ relatedTarget }) => {
  if (!search.contains(relatedTarget)) close();
});
document.addEventListener('keydown', (event) => {
  const isTyping = event.target.closest('input, textarea, select, [contenteditable]');
  if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  field.focus();
});
search.hidden = false;

for (const block of document.querySelectorAll('figure.code')) {
  const button = element('button', 'copy', 'Copy');
  button.type = 'button';
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(block.querySelector('code').textContent);
      button.textContent = 'Copied';
    } catch {
      button.textContent = 'Not allowed';
    }
    setTimeout(() => {
      button.textContent = 'Copy';
    }, 2000);
  });
  block.append(button);
}
