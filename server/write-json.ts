type Write<Value> = (value: Value) => string;

/** A text, a number or a truth value. */
export const plain: Write<string | number | boolean> = JSON.stringify;

export const list = <Item>(items: readonly Item[], write: Write<Item>) => {
  let json = '';
  for (const item of items) json += json === '' ? write(item) : `,${write(item)}`;
  return `[${json}]`;
};

export const record = <Item>(items: Readonly<Record<string, Item>>, write: Write<Item>) => {
  let json = '';
  for (const [key, item] of Object.entries(items)) json += `${json === '' ? '' : ','}${plain(key)}:${write(item)}`;
  return `{${json}}`;
};
