/** Shown to the person who entered the address, so no message reveals what a name resolved to. */
const messages = {
  badUrl: 'The address is not valid.',
  blocked: 'The address is not on the public internet.',
  timeout: 'There was no complete answer in time.',
  notFound: 'The host name was not found.',
  refused: 'The connection was refused.',
  badCertificate: 'The secure connection failed: the certificate is not valid for this address.',
  unreachable: 'The connection failed.',
  tooLarge: 'The answer is too large.',
  late: 'Nothing was sent: too much time had passed since it was begun.',
} as const;

export interface Trouble {
  readonly ok: false;
  readonly reason: keyof typeof messages;
  readonly message: string;
}

export const trouble = (reason: Trouble['reason'], message: string = messages[reason]): Trouble => ({
  ok: false,
  reason,
  message,
});

/** Thrown while connecting, where only an error stops undici. */
export class BlockedAddress extends Error {
  readonly code = 'EBLOCKED';
}

/** Thrown just before the first byte would leave. */
export class TooLate extends Error {
  readonly code = 'ELATE';
}

export class TimedOut extends Error {
  readonly code = 'ETIMEDOUT';
}

export class TooLarge extends Error {
  readonly code = 'ETOOLARGE';
}

export const troubleFrom = (error: unknown): Trouble => {
  const { name, code = '' } = error as { name?: string; code?: string | number };
  if (name === 'TimeoutError' || code === 'UND_ERR_CONNECT_TIMEOUT' || code === 'ETIMEDOUT') return trouble('timeout');
  if (code === 'EBLOCKED') return trouble('blocked');
  if (code === 'ELATE') return trouble('late');
  if (code === 'ETOOLARGE') return trouble('tooLarge');
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return trouble('notFound');
  if (code === 'ECONNREFUSED') return trouble('refused');
  if (/CERT|TLS|SSL|EPROTO|VERIFY/.test(String(code))) return trouble('badCertificate');
  return trouble('unreachable');
};
