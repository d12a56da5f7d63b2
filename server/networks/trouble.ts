/** What went wrong at a network, grouped by what can be done about it. */
export type TroubleKind =
  /** The token is refused: refresh it, or ask to connect again. */
  | 'token'
  /** The account did not grant this, or lost it. */
  | 'permission'
  | 'rateLimited'
  /** The text, an option or the post as a whole is refused. */
  | 'content'
  | 'media'
  /** The network is down or overloaded: later it may work. */
  | 'temporary'
  /** It is unknown what happened. */
  | 'unknown';

/** Adapters throw it, and their caller turns it into data. The message tells people what happened and what to do. */
export class NetworkTrouble extends Error {
  override readonly name = 'NetworkTrouble';
  readonly kind: TroubleKind;
  /** The network's own name for it. */
  readonly networkCode: string | undefined;
  /** For `rateLimited`: when it is worth trying again. */
  readonly until: Date | undefined;
  /** False when the request certainly had no effect: it never arrived, or was rejected before processing. */
  readonly reached: boolean;
  /** The network rejected the post itself: it is not public and never will be. */
  readonly isVerdict: boolean;
  /** The refusal used up the idempotency key, so the next attempt needs a new one. */
  readonly isKeySpent: boolean;

  constructor(
    kind: TroubleKind,
    message: string,
    {
      networkCode,
      until,
      reached = true,
      isVerdict = false,
      isKeySpent = false,
    }: { networkCode?: string; until?: Date; reached?: boolean; isVerdict?: boolean; isKeySpent?: boolean } = {},
  ) {
    super(message.slice(0, longestMessage).toWellFormed());
    this.kind = kind;
    this.networkCode = networkCode?.slice(0, longestCode).toWellFormed();
    this.until = until && !Number.isNaN(until.getTime()) ? until : undefined;
    this.reached = reached;
    this.isVerdict = isVerdict;
    this.isKeySpent = isKeySpent;
  }
}

/** Cut, because messages quote the network, and anybody can run a server of some networks. */
const longestMessage = 1_000;
const longestCode = 100;

const advice = /^(connect|reconnect|try|publish)\b/i;

/** What happened, with the name of the network. What to do about it is added, once, by the code that shows this. */
export const whatHappened = ({ message }: NetworkTrouble, { name }: { readonly name: string }): string => {
  const [first = '', ...others] = message.replace(/^The network\b/, name).split(/(?<=[.!?])\s+(?=\p{Lu})/u);
  const text = [first, ...others.filter((sentence) => !advice.test(sentence))].join(' ');
  return /[.!?]$/.test(text) ? text : `${text}.`;
};

/** Converts any error of an adapter. An error that is not NetworkTrouble is a bug of ours, and is reported. */
export const asTrouble = (error: unknown, report: (error: unknown) => void = () => undefined): NetworkTrouble => {
  if (error instanceof NetworkTrouble) return error;
  report(error);
  return new NetworkTrouble('unknown', 'Something went wrong on this server.');
};
