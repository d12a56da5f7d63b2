import { shorten } from '#server/base/shorten';

export interface Letter {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** A mail in plain text and simple HTML: no images and no tracking. */
export const letter = ({
  subject,
  lines,
  link,
  foot,
}: {
  subject: string;
  lines: readonly string[];
  link: { readonly label: string; readonly url: string };
  foot: string;
}): Letter => {
  const paragraphs = lines.map(oneLine).filter((line) => line !== '');
  return {
    subject: oneLine(subject),
    text: [...paragraphs, `${link.label}:\n${link.url}`, `-- \n${foot}`].join('\n\n').concat('\n'),
    html: [
      '<!doctype html><html lang="en"><body style="font-family:sans-serif;font-size:15px;line-height:1.5;color:#14171f">',
      ...paragraphs.map((line) => `<p>${escapeHtml(line)}</p>`),
      `<p><a href="${escapeHtml(link.url)}">${escapeHtml(link.label)}</a></p>`,
      `<p style="font-size:12px;color:#5f6675">${escapeHtml(foot)}</p>`,
      '</body></html>',
    ].join('\n'),
  };
};

const maxLineLength = 300;

/** Names come from people and clients: a line break in one must not begin a header or a paragraph of its own. */
export const oneLine = (text: string) => shorten(withoutBreaks(text), maxLineLength);

const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);

export const withoutBreaks = (text: string) =>
  text
    .toWellFormed()
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]+/gu, ' ')
    .trim();
