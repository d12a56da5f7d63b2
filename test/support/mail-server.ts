import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { until } from './until.ts';

export interface ReceivedMail {
  /** The recipients of the envelope. */
  readonly to: string[];
  readonly raw: string;
  /** By name in lower case, unfolded and decoded. */
  readonly headers: Readonly<Record<string, string>>;
  /** All header names, repeated ones included. */
  readonly names: readonly string[];
  /** Of the plain text part. */
  readonly text: string;
  readonly html: string;
}

export type MailServer = Awaited<ReturnType<typeof startMailServer>>;

/** A real SMTP server on loopback that stores the mail it receives, and refuses recipients as the test says. */
export const startMailServer = async ({ port: requestedPort = 0 }: { port?: number } = {}) => {
  const received: ReceivedMail[] = [];
  const refused = new Map<string, number>();
  let beforeAcknowledge: (() => Promise<void>) | undefined;
  const server = new SMTPServer({
    authOptional: true,
    hideSTARTTLS: true,
    logger: false,
    onAuth: ({ username, password }, _session, done) =>
      username === 'posthorn' && password === 'secret'
        ? done(null, { user: username })
        : done(Object.assign(new Error('Invalid login'), { responseCode: 535 })),
    onRcptTo: ({ address }, _session, done) => {
      const code = refused.get(address);
      done(code === undefined ? null : Object.assign(new Error('no such mailbox'), { responseCode: code }));
    },
    onData: async (stream, session, done) => {
      const chunks: Buffer[] = [];
      for await (const chunk of stream) chunks.push(chunk);
      received.push(
        parsed(
          Buffer.concat(chunks).toString(),
          session.envelope.rcptTo.map(({ address }) => address),
        ),
      );
      await beforeAcknowledge?.();
      done();
    },
  });
  server.on('error', () => undefined);
  server.listen(requestedPort, '127.0.0.1');
  await once(server.server, 'listening');
  const { port } = server.server.address() as AddressInfo;
  const to = (address: string) => received.filter((mail) => mail.to.includes(address));
  return {
    port,
    settings: { SMTP_URL: `smtp://127.0.0.1:${port}`, MAIL_FROM: 'Posthorn <posthorn@example.com>' },
    received,
    to,
    /** Waits for the n-th mail to an address. */
    nth: async (address: string, n = 1): Promise<ReceivedMail> => {
      await until(`${n} mails have come to ${address}`, () => to(address).length >= n);
      return to(address)[n - 1] as ReceivedMail;
    },
    refuse: (address: string, code: number) => refused.set(address, code),
    accept: (address: string) => refused.delete(address),
    /** Runs before a received mail is acknowledged. */
    beforeAnswer: (work: (() => Promise<void>) | undefined) => {
      beforeAcknowledge = work;
    },
    stop: () => new Promise<void>((resolve) => server.close(resolve)),
  };
};

const parsed = (raw: string, to: string[]): ReceivedMail => {
  const { headers, names, body } = partOf(raw);
  const boundary = /boundary="?([^";]+)/.exec(headers['content-type'] ?? '')?.[1] ?? '';
  const parts = body.split(`--${boundary}`).map((part) => partOf(part.replace(/^\r\n/, '')));
  const find = (type: string) => {
    const part = parts.find((one) => one.headers['content-type']?.startsWith(type));
    return part ? decoded(part.body, part.headers['content-transfer-encoding'] ?? '') : '';
  };
  return { to, raw, headers, names, text: find('text/plain'), html: find('text/html') };
};

const partOf = (raw: string) => {
  const [head = '', ...rest] = raw.split('\r\n\r\n');
  const lines = head.replace(/\r\n[ \t]+/g, ' ').split('\r\n');
  const pairs = lines.map((line) => /^([^:]+): ?(.*)$/s.exec(line) ?? ['', '', '']);
  return {
    headers: Object.fromEntries(pairs.map(([, name = '', value = '']) => [name.toLowerCase(), decodedWords(value)])),
    names: pairs.map(([, name = '']) => name.toLowerCase()),
    body: rest.join('\r\n\r\n'),
  };
};

const decoded = (body: string, encoding: string) => {
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString();
  if (encoding !== 'quoted-printable') return body;
  const bytes = body
    .replace(/=\r\n/g, '')
    .replace(/=([\dA-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString();
};

const decodedWords = (value: string) =>
  value
    .replace(/\?= +=\?/g, '?==?')
    .replace(/=\?utf-8\?([QB])\?([^?]*)\?=/gi, (_, kind: string, text: string) =>
      kind.toUpperCase() === 'B'
        ? Buffer.from(text, 'base64').toString()
        : decoded(text.replaceAll('_', ' '), 'quoted-printable'),
    );
