/** Parses untrusted model output into data; it never becomes HTML. */
export type Inline =
  | { kind: 'text'; text: string }
  | { kind: 'code'; text: string }
  | { kind: 'bold'; parts: Inline[] }
  /** `host` is undefined for links inside the app. */
  | { kind: 'link'; text: string; to: string; host: string | undefined };

export type Block =
  | { kind: 'paragraph'; parts: Inline[] }
  | { kind: 'points' | 'numbers'; items: { depth: number; parts: Inline[] }[] };

const point = /^(\s*)(?:[-*•]|(\d{1,3})[.)])\s+(.*)$/;

export const blocksOf = (text: string): Block[] => {
  const blocks: Block[] = [];
  let isNew = true;
  for (const line of text.split('\n')) {
    const [, indent = '', number, item] = point.exec(line) ?? [];
    const last = blocks.at(-1);
    if (line.trim() === '') isNew = true;
    else if (item !== undefined) {
      const depth = indent.length >= 2 ? 1 : 0;
      const kind = number !== undefined && depth === 0 ? 'numbers' : 'points';
      const entry = { depth, parts: inlinesOf(item) };
      if (last !== undefined && last.kind !== 'paragraph' && (last.kind === kind || depth > 0)) last.items.push(entry);
      else blocks.push({ kind, items: [entry] });
      isNew = true;
    } else {
      // Headings become plain paragraphs.
      const parts = inlinesOf(line.replace(/^#{1,6}\s+/, '').trim());
      if (!isNew && last?.kind === 'paragraph') last.parts.push({ kind: 'text', text: ' ' }, ...parts);
      else blocks.push({ kind: 'paragraph', parts });
      isNew = false;
    }
  }
  return blocks;
};

const marks =
  /\\([\\`*_[\]()<>#!~-])|`([^`]+)`|\*\*([^*]+(?:\*[^*]+)*)\*\*|!?\[((?:\\.|[^\]\\])*)\]\(([^()\s]{1,2000})\)|(https?:\/\/[^\s<>"')\]]{1,2000})/g;

const inlinesOf = (line: string): Inline[] => {
  const parts: Inline[] = [];
  const add = (text: string) => {
    const last = parts.at(-1);
    if (text === '') return;
    if (last?.kind === 'text') last.text += text;
    else parts.push({ kind: 'text', text });
  };
  let at = 0;
  for (const match of line.matchAll(marks)) {
    add(line.slice(at, match.index));
    at = match.index + match[0].length;
    const [whole, escaped, code, bold, label, target, bare] = match;
    if (escaped !== undefined) add(escaped);
    else if (code !== undefined) parts.push({ kind: 'code', text: code });
    else if (bold !== undefined) parts.push({ kind: 'bold', parts: inlinesOf(bold) });
    else {
      const link = linkTo(target ?? bare ?? '', removeEscapes(label ?? ''));
      if (link) parts.push(link);
      else add(label === undefined ? whole : removeEscapes(label));
    }
  }
  add(line.slice(at));
  return parts;
};

const removeEscapes = (text: string) => text.replace(/\\(.)/g, '$1');

/** Links inside the app, or http(s) with the host shown; anything else stays text. */
const linkTo = (target: string, label: string): Inline | undefined => {
  if (/^\/(?![/\\])[\w/?=&.-]*$/.test(target))
    return { kind: 'link', text: label || target, to: target, host: undefined };
  if (!URL.canParse(target)) return undefined;
  const url = new URL(target);
  if (!/^https?:$/.test(url.protocol) || url.username !== '') return undefined;
  return { kind: 'link', text: label || url.host, to: url.href, host: url.host };
};
