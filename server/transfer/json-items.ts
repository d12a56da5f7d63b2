import { bounds } from '#server/bounds';
import { badInput } from '#server/errors';

/** An entry of the list of posts, as text: not yet parsed, or too much to be. */
export interface JsonItem {
  readonly text: string;
  readonly isTooMuch: boolean;
}

const [quote, backslash, comma, openList, closeList, openObject, closeObject] = [...'"\\,[]{}'].map((sign) =>
  sign.charCodeAt(0),
) as [number, number, number, number, number, number, number];
const longestName = 100;

/**
 * The objects of one list: of the file itself, or of its field of one of these names. The file is read through once and
 * never held as a whole.
 */
export async function* itemsOf(chunks: AsyncIterable<string>, names: readonly string[]): AsyncGenerator<JsonItem> {
  let depth = 0;
  let isText = false;
  let isEscaped = false;
  /** How deep the objects of the list are; 2 when the file is a list. */
  let itemDepth = 3;
  /** The last text in the outermost object: before a list it is its name. */
  let name = '';
  let isList = false;
  let item: string | undefined;
  let values = 0;
  for await (const chunk of chunks) {
    let begun = 0;
    for (let at = 0; at < chunk.length; at++) {
      const sign = chunk.charCodeAt(at);
      if (isText) {
        if (isEscaped) isEscaped = false;
        else if (sign === backslash) isEscaped = true;
        else if (sign === quote) isText = false;
        if (isText && depth === 1 && name.length < longestName) name += chunk[at];
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
          [item, begun, values] = ['', at, 0];
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
          const text = item + chunk.slice(begun, at + 1);
          yield { text, isTooMuch: values > bounds.bodyValues || text.length > bounds.importRowCharacters };
          item = undefined;
        }
      }
    }
    // What is too long for a row is counted on, and kept no longer.
    if (item !== undefined && item.length <= bounds.importRowCharacters) item += chunk.slice(begun);
  }
  if (depth !== 0 || isText) {
    throw badInput({ path: 'file', code: 'Incomplete', message: 'ends before its JSON does; export it again' });
  }
}

/** Whether this JSON has more fields and entries than anybody needs for one post. */
export const isTooMuch = (text: string) => {
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
