/** The configured address, if this page was opened at another one. */
export const otherAddress = (here: string, address: string) => {
  const isThisMachine = /^(localhost|.*\.localhost|127\.[\d.]+|\[::1\])$/.test(new URL(here).hostname);
  return isThisMachine || new URL(here).origin === new URL(address).origin ? undefined : address;
};
