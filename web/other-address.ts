/** Where to open Posthorn instead, when a page was opened at another address than the one that links and sign-in use. */
export const otherAddress = (here: string, address: string) => {
  const isThisMachine = /^(localhost|.*\.localhost|127\.[\d.]+|\[::1\])$/.test(new URL(here).hostname);
  return isThisMachine || new URL(here).origin === new URL(address).origin ? undefined : address;
};
