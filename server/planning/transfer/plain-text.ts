const tag = /<\/?(?:p|div|br|a|b|i|u|em|strong|span|ul|ol|li|h[1-6])\b[^<>]*>/gi;
const ending = /<br\b[^<>]*>|<\/(?:p|div|li|h[1-6])>/gi;

const entities: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
};

/** Converts HTML of rich-text editors to text, one line per block. Text without such tags is returned unchanged. */
export const plainText = (html: string): string => {
  if (html.search(tag) < 0) return html;
  return html
    .replaceAll(ending, '\n')
    .replaceAll(tag, '')
    .replaceAll(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,6}));/gi, (whole, decimal, hex, name) => {
      if (name) return entities[name.toLowerCase()] ?? whole;
      const code = decimal ? Number(decimal) : Number.parseInt(hex, 16);
      return code > 0 && code <= 0x10_ffff && !(code >= 0xd800 && code <= 0xdfff) ? String.fromCodePoint(code) : whole;
    })
    .trim();
};
