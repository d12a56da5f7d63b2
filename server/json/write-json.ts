type Write<Value> = (value: Value) => string;

/** ASCII without quotes, backslashes and control characters, which JSON leaves unescaped. */
const unescaped = /^[ !#-[\]-~]*$/;
/** For longer strings the test costs more than it saves. */
const shortCharacters = 40;

export const text: Write<string> = (value) =>
  value.length < shortCharacters && unescaped.test(value) ? `"${value}"` : JSON.stringify(value);

export const number: Write<number> = (value) => (Number.isFinite(value) ? `${value}` : 'null');

export const truth: Write<boolean> = (value) => (value ? 'true' : 'false');

/** Any of the three. */
export const plain: Write<string | number | boolean> = JSON.stringify;

export const list = <Item>(items: readonly Item[], write: Write<Item>) => {
  let json = '';
  for (const item of items) json += json === '' ? write(item) : `,${write(item)}`;
  return `[${json}]`;
};

export const record = <Item>(items: Readonly<Record<string, Item>>, write: Write<Item>) => {
  let json = '';
  for (const [key, item] of Object.entries(items)) json += `${json === '' ? '' : ','}${text(key)}:${write(item)}`;
  return `{${json}}`;
};
