/** Not `URL.canParse`: in Node 20 and 22 it refuses addresses with letters such as ü once it has been called often. */
export const isUrl = (text: string, base?: string) => {
  try {
    new URL(text, base);
    return true;
  } catch {
    return false;
  }
};
