/** `1 post`, `8 posts`. */
export const quantity = (count: number, one: string, many = `${one}s`) => `${count} ${count === 1 ? one : many}`;
