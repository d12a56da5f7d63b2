import type { Logger } from 'pino';

const loopback = /^https?:\/\/(localhost|[^/]*\.localhost|127\.[\d.]+|\[::1\])(:|$)/i;

/** Told once: it stays so until the operator changes something. Whoever works on the machine itself may use its own names. */
export const createAddressWatch = (log: Logger, baseUrl: string) => {
  let isTold = false;
  return (origin: string) => {
    if (isTold || loopback.test(origin)) return;
    isTold = true;
    log.warn(
      { openedAt: origin.slice(0, 200), baseUrl },
      'people open Posthorn at another address than BASE_URL, where links, sign-in and networks lead: set BASE_URL to the address that people use, or send them there',
    );
  };
};
