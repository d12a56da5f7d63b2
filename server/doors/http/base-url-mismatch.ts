import type { Logger } from 'pino';

const loopback = /^https?:\/\/(localhost|[^/]*\.localhost|127\.[\d.]+|\[::1\])(:|$)/i;

/**
 * Logged once per process: the next request would only repeat it. Loopback names are fine for work on the machine
 * itself.
 */
export const createBaseUrlMismatchWarning = (log: Logger, baseUrl: string) => {
  let isLogged = false;
  return (origin: string) => {
    if (isLogged || loopback.test(origin)) return;
    isLogged = true;
    log.warn(
      { openedAt: origin.slice(0, 200), baseUrl },
      'people open Posthorn at another address than BASE_URL, where links, sign-in and networks lead: set BASE_URL to the address that people use, or send them there',
    );
  };
};
