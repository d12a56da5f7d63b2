interface Cookie {
  readonly name: string;
  readonly value: string;
  readonly path: string;
}

export interface Page {
  readonly url: string;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

export type Browser = ReturnType<typeof createBrowser>;

/** As much of a browser as a sign-in needs: cookies with their paths, redirects on one site. */
export const createBrowser = (origin: string) => {
  let cookies: Cookie[] = [];

  const keep = (header: string, { pathname }: URL) => {
    const [pair = '', ...attributes] = header.split(/; */);
    const [name = '', value = ''] = pair.split(/=(.*)/s);
    const attributeValue = (attribute: string) =>
      attributes.find((text) => text.toLowerCase().startsWith(`${attribute}=`))?.slice(attribute.length + 1);
    const path = attributeValue('path') ?? (pathname.replace(/\/[^/]*$/, '') || '/');
    cookies = cookies.filter((cookie) => cookie.name !== name || cookie.path !== path);
    const isExpired = Date.parse(attributeValue('expires') ?? '9999') < 1e12 || attributeValue('max-age') === '0';
    if (!isExpired && value !== '') cookies.push({ name, value, path });
  };

  const request = async (
    method: string,
    url: string,
    body?: object,
    /** Headers that name the origin of the request. */
    source: Record<string, string> = method === 'GET' ? {} : { origin },
  ) => {
    const to = new URL(url, origin);
    const matching = cookies.filter(({ path }) => `${to.pathname}/`.startsWith(path.endsWith('/') ? path : `${path}/`));
    const response = await fetch(to, {
      method,
      redirect: 'manual',
      headers: {
        ...source,
        cookie: matching.map(({ name, value }) => `${name}=${value}`).join('; '),
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    for (const header of response.headers.getSetCookie()) keep(header, to);
    return { url: to.href, status: response.status, headers: response.headers, text: await response.text() };
  };

  const browser = {
    set: (name: string, value: string) => keep(`${name}=${value}; path=/`, new URL(origin)),
    remove: (name: string) => keep(`${name}=; path=/`, new URL(origin)),
    cookies: () => cookies,
    request,

    /** Follows redirects, but not to another site or a page of the app. */
    go: async (page: string | Page): Promise<Page> => {
      const here = typeof page === 'string' ? await request('GET', page) : page;
      const location = here.headers.get('location');
      if (location === null) return here;
      const next = new URL(location, here.url);
      if (next.origin !== origin || /^\/(sign-in|consent)/.test(next.pathname)) return { ...here, url: next.href };
      return browser.go(await request('GET', next.href));
    },
  };
  return browser;
};
