const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Text that is HTML already, which only `html` makes. */
export class Html {
  readonly #text: string;
  constructor(text: string) {
    this.#text = text;
  }
  toString() {
    return this.#text;
  }
}

export type Part = Html | string | number | false | null | undefined | readonly Part[];

/** A template whose values are escaped, unless they come from such a template. Lists are joined, nothing is nothing. */
export const html = (texts: TemplateStringsArray, ...parts: readonly Part[]) =>
  new Html(texts.map((text, index) => text + (index < parts.length ? render(parts[index]) : '')).join(''));

const render = (part: Part): string => {
  if (Array.isArray(part)) return part.map(render).join('');
  if (part instanceof Html) return part.toString();
  if (part === undefined || part === null || part === false) return '';
  return String(part).replace(/[&<>"']/g, (character) => entities[character] ?? '');
};
