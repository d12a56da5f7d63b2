import { isIP } from 'node:net';
import { isUrl } from '#contracts/is-url';
import { isPublicIp } from './public-address.ts';
import { type Trouble, trouble } from './trouble.ts';

const maxLength = 2048;
/** Characters that the URL parser silently drops or reinterprets. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
const ambiguousCharacters = /[\u0000-\u0020\u007f-\u00a0\\]/;
const ownNames = /(^|\.)(local|localhost|localdomain|internal|intranet|lan|home\.arpa|onion)$/;

export type CheckedUrl = { readonly ok: true; readonly url: URL } | Trouble;

export interface UrlRules {
  /** `host:port` that may be private. */
  readonly allow: ReadonlySet<string>;
  /** Whether loopback addresses among them may use plain HTTP. */
  readonly plainHttp: boolean;
}

/** Checks an address before its host name is resolved. */
export const checkUrl = (text: string, { allow, plainHttp }: UrlRules): CheckedUrl => {
  if (text.length > maxLength) return trouble('badUrl', `The address is longer than ${maxLength} characters.`);
  if (ambiguousCharacters.test(text))
    return trouble('badUrl', 'The address holds a space, a backslash or a control character.');
  const [, scheme, authority] = /^([a-z]+):\/\/([^/?#]+)/i.exec(text) ?? [];
  if (scheme === undefined || authority === undefined || !isUrl(text)) {
    return trouble('badUrl', 'The address is not a URL like https://example.com/path.');
  }
  const url = withoutRootDot(new URL(text));
  if (url.port === '0') return trouble('badUrl', 'The address names port 0, which no server has.');
  if (authority.includes('@')) return trouble('badUrl', 'The address may not hold a user name or password.');
  if (allow.has(hostAndPort(url)) && (url.protocol === 'https:' || (plainHttp && isLoopback(url)))) {
    return { ok: true, url };
  }
  if (url.protocol !== 'https:') return trouble('badUrl', 'The address must begin with https://.');
  return isPublicHost(url.hostname) ? { ok: true, url } : trouble('blocked');
};

/** `example.com.` means `example.com`, but certificates name only the latter. */
const withoutRootDot = (url: URL) => {
  if (/[^.]\.$/.test(url.hostname)) url.hostname = url.hostname.slice(0, -1);
  return url;
};

export const hostAndPort = ({ hostname, port, protocol }: Pick<URL, 'hostname' | 'port' | 'protocol'>) =>
  `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`;

const isLoopback = ({ hostname }: URL) => /^(127(\.\d+){3}|\[::1\]|localhost)$/.test(hostname);

const isPublicHost = (hostname: string) => {
  const literal = withoutBrackets(hostname);
  if (isIP(literal)) return isPublicIp(literal);
  const labels = hostname.split('.');
  return labels.length > 1 && !labels.includes('') && !ownNames.test(hostname);
};

const withoutBrackets = (hostname: string) => hostname.replace(/^\[(.*)\]$/, '$1');
