import { bounds } from '#server/base/bounds';
import { badInput } from '#server/base/errors';

/** An entry of the list of posts as JSON text, and whether it is too large to parse. */
export interface JsonItem {
  readonly text: string;
  readonly isTooLarge: boolean;
}

const [quote, backslash, comma, openList, closeList, openObject, closeObject] = [...'"\\,[]{}'].map((sign) =>
  sign.charCodeAt(0),
) as [number, number, number, number, number, number, number];
const maxNameLength = 100;

/**
 * The objects of one list: the file itself, or its field with one of these names. Streams the file, which is never in
 * memory as a whole.
 */
export async function* itemsOf(chunks: AsyncIterable<string>, names: readonly string[]): AsyncGenerator<JsonItem> {
  let depth = 0;
  let isText = false;
  let isEscaped = false;
  /** Nesting depth of the list's objects; 2 when the file itself is the list. */
  let itemDepth = 3;
  /** The last string in the outermost object: right before a list it is the name of its field. */
  let name = '';
  let isList = false;
  let item: string | undefined;
  let values = 0;
  for await (const chunk of chunks) {
    let start = 0;
    for (let at = 0; at < chunk.length; at++) {
      const sign = chunk.charCodeAt(at);
      if (isText) {
        if (isEscaped) isEscaped = false;
        else if (sign === backslash) isEscaped = true;
        else if (sign === quote) isText = false;
        if (isText && depth === 1 && name.length < maxNameLength) name += chunk[at];
      } else if (sign === quote) {
        isText = true;
        if (depth === 1) name = '';
      } else if (sign === comma) {
        values++;
      } else if (sign === openObject || sign === openList) {
        depth++;
        values++;
        if (depth === 1 && sign === openList) [itemDepth, isList] = [2, true];
        else if (depth === 2 && itemDepth === 3) isList = sign === openList && names.includes(name);
        if (depth === itemDepth && isList && sign === openObject && item === undefined) {
          [item, start, values] = ['', at, 0];
        }
        if (depth > bounds.bodyDepth + itemDepth) {
          throw badInput({
            path: 'file',
            code: 'TooDeep',
            message: `is nested deeper than ${bounds.bodyDepth} levels`,
          });
        }
      } else if (sign === closeObject || sign === closeList) {
        depth--;
        if (item !== undefined && depth === itemDepth - 1) {
          const text = item + chunk.slice(start, at + 1);
          yield { text, isTooLarge: values > bounds.bodyValues || text.length > bounds.importRowCharacters };
          item = undefined;
        }
      }
    }
    // Text beyond the limit is only scanned for its end, not stored.
    if (item !== undefined && item.length <= bounds.importRowCharacters) item += chunk.slice(start);
  }
  if (depth !== 0 || isText) {
    throw badInput({ path: 'file', code: 'Incomplete', message: 'ends before its JSON does; export it again' });
  }
}

/** Whether this JSON has more values than any post can have. */
export const isTooLarge = (text: string) => {
  let values = 0;
  for (let at = 0; at < text.length && values <= bounds.bodyValues; at++) {
    const sign = text.charCodeAt(at);
    if (sign === quote) at = endOfText(text, at);
    else if (sign === comma || sign === openObject || sign === openList) values++;
  }
  return values > bounds.bodyValues;
};

const endOfText = (text: string, from: number) => {
  for (let at = from + 1; at < text.length; at++) {
    const sign = text.charCodeAt(at);
    if (sign === backslash) at++;
    else if (sign === quote) return at;
  }
  return text.length;
};
