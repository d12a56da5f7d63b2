const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Escaped HTML, created only by `html`. */
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

/** A template that escapes its values, except nested `html`. Lists are joined; null, undefined and false render as ''. */
export const html = (texts: TemplateStringsArray, ...parts: readonly Part[]) =>
  new Html(texts.map((text, index) => text + (index < parts.length ? render(parts[index]) : '')).join(''));

const render = (part: Part): string => {
  if (Array.isArray(part)) return part.map(render).join('');
  if (part instanceof Html) return part.toString();
  if (part === undefined || part === null || part === false) return '';
  return String(part).replace(/[&<>"']/g, (character) => entities[character] ?? '');
};
