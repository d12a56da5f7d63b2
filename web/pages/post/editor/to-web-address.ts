/** Adds https to `example.com/menu`. Undefined if the text is not a web address. */
export const toWebAddress = (text: string): string | undefined => {
  const trimmed = text.trim();
  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(trimmed) ? trimmed : `https://${trimmed}`;
  if (/\s/.test(address) || !URL.canParse(address)) return undefined;
  const { protocol, hostname, username } = new URL(address);
  const isWeb = /^https?:$/.test(protocol) && username === '' && /\.[^.]+$/.test(hostname);
  return isWeb ? address : undefined;
};
