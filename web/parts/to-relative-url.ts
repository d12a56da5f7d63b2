/** BASE_URL may differ from the address of this page, so fetch files of the server by path. */
export const toRelativeUrl = (url: string) => {
  const { pathname, search } = new URL(url, location.href);
  return pathname + search;
};
