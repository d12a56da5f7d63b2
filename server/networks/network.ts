import type { Readable } from 'node:stream';
import type { MetricName } from '#contracts/analytics';
import type { IssueCode } from '#contracts/errors';
import type { MediaKind } from '#contracts/media';
import type { Badge, Choice, Constraints, Option } from '#contracts/providers';
import type { Request } from './request.ts';

export interface NetworkMedia {
  readonly id: string;
  readonly kind: MediaKind;
  readonly mimeType: string;
  readonly bytes: number;
  readonly width: number;
  readonly height: number;
  readonly durationMs?: number;
  /** Of a video, as far as the file says and we know it: `h264`. */
  readonly videoCodec?: string;
  /** `none` without sound. */
  readonly audioCodec?: string;
  /** Frames per second. */
  readonly frameRate?: number;
  readonly alt?: string;
  /** For a fitted file: the id of its original, and the hash of its own bytes. */
  readonly fitted?: { readonly of: string; readonly sha256: string };
}

export interface NetworkItem<Media extends NetworkMedia = NetworkMedia> {
  readonly body: string;
  readonly media: readonly Media[];
}

/** The preview of a page, shown below a text that links to it. */
export interface LinkCard {
  readonly uri: string;
  readonly title: string;
  readonly description: string;
  /** SHA-256 of its picture, in hex. */
  readonly picture?: string;
}

/** A card with the bytes of its picture, as just fetched. */
export interface ReadLinkCard extends LinkCard {
  readonly pictureBytes?: Buffer;
}

/** A post as one account gets it: its version, and its options with the defaults filled in. */
export interface NetworkPost<Media extends NetworkMedia = NetworkMedia> {
  readonly items: readonly NetworkItem<Media>[];
  readonly options: Readonly<Record<string, string>>;
  /** The files that options of type Media name, by the key of the option. */
  readonly optionFiles?: Readonly<Record<string, Media>>;
  /** The cards at the time when a person was asked for approval. */
  readonly linkCards?: readonly LinkCard[];
}

/** A broken rule. `path` is relative to the version: `content.0.body`, `options.youtube.title`. */
export interface Problem {
  readonly path: string;
  readonly code: IssueCode;
  readonly message: string;
  readonly limit?: number | string;
  readonly actual?: number | string;
  /** An option that would fix it, and the values that do. */
  readonly fix?: { readonly key: string; readonly values: string[] };
}

/** Data that can be stored in a row until the next step. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json | undefined };

/** Where a network is and how to send requests to it. An adapter cannot tell the network from its sandbox. */
export interface Site {
  /** What people call the network. */
  readonly name: string;
  /** The address of one of the network's hosts for requests, without a slash at the end. */
  host(name: string): string;
  /** The same for people: where they give consent, where they see a post. */
  link(name: string): string;
  /** The server of the account, where everybody can run one; elsewhere empty. */
  readonly server: string;
  /** The app that the operator, or Posthorn itself, registered at the network. */
  readonly registration: Registration;
  /** A setting of the operator that has a default. */
  setting(name: string, byDefault: string): string;
  readonly request: Request;
  now(): Date;
}

export interface Registration {
  readonly clientId: string;
  readonly clientSecret: string;
}

export interface Tokens {
  readonly accessToken: string;
  readonly refreshToken?: string;
  /** ISO-8601 instant; absent when it does not expire. */
  readonly expiresAt?: string;
  /** ISO-8601 instant at which the refresh token expires; absent when the network does not report it. */
  readonly refreshExpiresAt?: string;
  /** The app they were issued to, if the connection registered its own. */
  readonly registration?: Registration;
}

/** What the network reports about an account; refreshed once a day. */
export interface Profile {
  readonly name: string;
  readonly handle: string;
  readonly avatarUrl?: string;
  /** Private data of the adapter: limits of the server, boards, a user name for addresses. */
  readonly facts: Json;
}

export interface NetworkAccount extends Profile {
  /** The network's own id. */
  readonly id: string;
  readonly tokens: Tokens;
  /** The permissions that were granted, not those that were asked for. */
  readonly scopes: readonly string[];
  /** Only where everybody can run a server: the one the account is on. */
  readonly server?: string;
}

/** What a scope lets Posthorn do, and what for. */
export type Permission = readonly [may: string, why: string];

/** The app that an operator registers at a network, and how to verify it. */
export interface NetworkApp {
  /** The permissions that people are asked for. */
  readonly scopes: readonly string[];
  /** The same in words, for the consent page of the sandbox. */
  readonly permissions: Readonly<Record<string, Permission>>;
  /** What the network has to grant to the app, or the operator to switch on there: products, reviews. */
  readonly needs: readonly string[];
  /** What the network fetches from BASE_URL, if the constraints do not say so: `Photos`. */
  readonly fetches?: string;
  /** The version of the API in use. */
  api(site: Pick<Site, 'setting'>): ApiVersion;
  /** Tries the credentials without posting; absent when the network has no way to do that. */
  tryCredentials?(site: Site, redirectUri: string): Promise<CredentialsTried>;
}

export interface ApiVersion {
  /** As the network calls it; absent where its API has none. */
  readonly version?: string;
  /** The day from which it may no longer work, as `2027-07-01`; absent when no end is known. */
  readonly endsOn?: string;
  /** The setting with which the operator chooses another. */
  readonly setting?: string;
  /** Set when the version has the wrong format: an example of the right one, `202607`. */
  readonly expected?: string;
}

export type CredentialsTried =
  | { readonly is: 'accepted' }
  | { readonly is: 'refused' | 'unclear'; readonly said: string };

/** How an account is connected. `exchange` and `signIn` give every account the person can choose from. */
export type Connect = OAuthConnect | ServerOAuthConnect | FormConnect;

interface OAuthSteps {
  readonly pkce: boolean;
  /** Where the person gives consent. */
  authorizeUrl(site: Site, request: { redirectUri: string; state: string; challenge: string }): string;
  exchange(
    site: Site,
    answer: { code: string; redirectUri: string; verifier: string },
  ): Promise<readonly NetworkAccount[]>;
}

export interface OAuthConnect extends OAuthSteps {
  readonly kind: 'OAuth';
}

/** For networks where everybody can run a server: the person names theirs, and Posthorn registers an app there. */
export interface ServerOAuthConnect extends OAuthSteps {
  readonly kind: 'ServerOAuth';
  /** An example, or what most people use. */
  readonly usualServer: string;
  register(site: Site, request: { redirectUri: string; website: string }): Promise<Registration>;
  /** Whether one registration serves every connection: some software forgets them, or allows one sign-in each. */
  keepsRegistrations(site: Site): Promise<boolean>;
}

export interface FormConnect {
  readonly kind: 'Form';
  readonly fields: readonly {
    readonly name: string;
    readonly label: string;
    readonly hint: string;
    readonly secret: boolean;
    /** A field without a default has to be filled in. */
    readonly byDefault?: string;
  }[];
  signIn(site: Site, values: Readonly<Record<string, string>>): Promise<readonly NetworkAccount[]>;
}

/** First and last byte, both included. */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

export interface PublishMedia extends NetworkMedia {
  /** Where networks that fetch media find it. */
  readonly url: string;
  read(range?: ByteRange): Promise<Readable>;
}

/** One part that is published on its own: an item of a thread, or a comment below the post. */
export interface Sending {
  readonly account: NetworkAccount;
  readonly post: NetworkPost<PublishMedia>;
  /** The index in `parts(post)`. */
  readonly index: number;
  readonly part: NetworkItem<PublishMedia>;
  /** The parts before it, which are already published. */
  readonly out: readonly Sent[];
  /** An idempotency key: a UUID that stays the same for every attempt at this part. */
  readonly key: string;
  /** When the first attempt at this part began: the same for every attempt, and while confirming. */
  readonly firstTriedAt: Date;
  /**
   * Nothing of this part was public before this time. While confirming: when it was sent, by the most reliable clock.
   */
  readonly since: Date;
  /** For networks that fetch files themselves: called before the request that names this file of the part. */
  beginFile?(index: number): void;
  /** The picture of a link card, by its name in the card. */
  readPicture?(picture: string): Promise<Buffer | undefined>;
}

export interface Sent {
  readonly externalId: string;
  readonly url?: string;
  /** For later parts and for statistics. */
  readonly ref?: Json;
  /** Published, but its metrics can never be read. */
  readonly withoutStatistics?: true;
  /** ISO-8601 instant of publication, if the network reports it. */
  readonly publishedAt?: string;
  /** What a person still has to do at the network, or what failed after publication. */
  readonly note?: string;
}

/** The network is still processing: call again after `forMs` with `prepared`. Meanwhile the send takes no slot. */
export interface Waiting<Prepared> {
  readonly is: 'waiting';
  readonly prepared: Prepared;
  readonly forMs: number;
  /** Already published, with only follow-up work missing. Becomes the result if that takes too long. */
  readonly out?: Sent;
}

export type Preparation<Prepared> = { readonly is: 'ready'; readonly prepared: Prepared } | Waiting<Prepared>;

export type SendEnd<Prepared> = { readonly is: 'sent'; readonly sent: Sent } | Waiting<Prepared>;

export type Confirmation<Prepared> = SendEnd<Prepared> | { readonly is: 'absent' } | { readonly is: 'unknown' };

export const ready = <Prepared>(prepared: Prepared) => ({ is: 'ready', prepared }) as const;
export const waiting = <Prepared>(prepared: Prepared, forMs: number, out?: Sent) =>
  ({ is: 'waiting', prepared, forMs, ...(out && { out }) }) as const;
export const sent = (out: Sent) => ({ is: 'sent', sent: out }) as const;
/** The network does not have the post. */
export const absent = { is: 'absent' } as const;
/** The network cannot tell. */
export const unknown = { is: 'unknown' } as const;

export interface PublishedPost {
  readonly externalId: string;
  readonly publishedAt: string;
  readonly ref: Json;
}

export type MetricsRead =
  /** Only the reported metrics; empty when there are none yet. */
  | {
      readonly is: 'numbers';
      readonly metrics: Readonly<Partial<Record<MetricName, number>>>;
      /** The network stops reporting after this. */
      readonly isLast?: boolean;
    }
  /** The network does not show the post. Networks sometimes report existing posts as absent, so one read decides nothing. */
  | { readonly is: 'absent'; readonly why: string }
  /** There will be no more metrics. `why` is absent when posts of this kind never have any. */
  | { readonly is: 'over'; readonly why?: string };

/** The choices for these words, the best first. Without words: all of them, or none where there are too many. */
export type Lookup = (site: Site, account: NetworkAccount, words: string) => Promise<readonly Choice[]>;

/** Everything the service knows about a network. Nothing outside its folder names it. */
export interface Network<Prepared = unknown> {
  /** `bluesky`: the folder's name, and how option keys begin. */
  readonly key: string;
  /** `Bluesky`: what people read. */
  readonly name: string;
  /** Names of this network in other tools, for imports. */
  readonly alsoCalled?: readonly string[];
  /** How pages draw it. No other network has the same code. */
  readonly badge: Badge;
  /** The path in `icon.svg`, 24 by 24. The generator adds it. */
  readonly icon?: string;
  /** Settings the operator registers at the network, id first, secret second; empty when it needs none. */
  readonly settings: readonly string[];
  /** Further settings, which have a default. */
  readonly otherSettings?: readonly string[];
  /** The app of those settings, or the one that Posthorn registers itself. */
  readonly app: NetworkApp;
  /** Its addresses by name. In the sandbox each is `…/sandbox/<key>/<name>`. */
  readonly hosts: Readonly<Record<string, string>>;
  /** The network charges for every post, so plans limit them. */
  readonly paidPerPost: boolean;
  /** The permission that reading statistics needs on top of publishing (SPEC, Statistics rules 10). */
  readonly statisticsPermission?: string;
  /** Each of these permissions is enough to publish; absent where the network has none. */
  readonly publishPermissions?: readonly string[];
  /**
   * How many posts an account may publish within any such number of hours, through all apps together. Only where the
   * network documents it. A thread counts as one here, though it may cost more.
   */
  readonly postQuota?: { readonly posts: number; readonly hours: number };
  /** What providers.limits shows. */
  readonly constraints: Constraints;
  readonly options: readonly Option[];
  /** The constraints for this post on this account: a story allows less, a server may allow more. */
  constraintsFor(post: NetworkPost, facts?: Json): Constraints;
  /**
   * The choices of an option for this account, where accounts differ and the choices are known; with `post`, for that
   * post.
   */
  choicesFor?(key: string, facts: Json, post?: NetworkPost): Option['choices'];
  /** Finds values that only the network knows, such as the ids of places, by the key of a searchable option. */
  readonly lookups?: Readonly<Record<string, Lookup>>;
  /** The options that this account cannot switch on as the post is, by key, and why. */
  disabledOptions?(post: NetworkPost, facts: Json): Readonly<Record<string, string>>;
  /** The limits of a poll on this account, where accounts differ. */
  pollLimitsFor?(facts: Json): Option['poll'];
  /** Rules that the constraints cannot express. */
  check(post: NetworkPost, facts?: Json): readonly Problem[];
  /** What the network accepts, but handles differently than people expect. */
  surprises?(post: NetworkPost, facts?: Json): readonly Problem[];

  /**
   * For networks where the sender supplies link cards. They are fetched when a person is asked for approval, and sent
   * unchanged; a page without metadata, or one that answers too late, gets a plain card.
   */
  readonly linkCards?: {
    /** The addresses whose cards this post shows. */
    of(post: NetworkPost): readonly string[];
    read(site: Site, uri: string): Promise<ReadLinkCard | undefined>;
    plain(uri: string): LinkCard;
  };

  readonly connect: Connect;
  /** How long before their expiry tokens are renewed. */
  readonly refreshAheadMs: number;
  /** When a person has to sign in again; undefined while the tokens renew themselves, as far as the network says. */
  signInEnd?(tokens: Tokens): string | undefined;
  /** Gets new tokens. Throws trouble of kind `token` when the account has to be connected again. */
  refresh(site: Site, account: NetworkAccount): Promise<Tokens>;
  profile(site: Site, account: NetworkAccount): Promise<Profile>;
  /** Ends the tokens of an account that was disconnected, where the network has a call for that. */
  revoke?(site: Site, account: NetworkAccount): Promise<void>;
  /** `revoke` ends everything that the person granted to our app, including other accounts they connected. */
  readonly revokesWholeApp?: true;

  /** The parts in the order of publication: the items of the thread, and a first comment if there is one. */
  parts<Media extends NetworkMedia>(post: NetworkPost<Media>): readonly NetworkItem<Media>[];
  /** Uploads and containers: everything that is safe to repeat. `checkpoint` is what it returned while waiting. */
  prepare(site: Site, sending: Sending, checkpoint?: Prepared): Promise<Preparation<Prepared>>;
  /** The one call that makes it public. It is never repeated automatically. */
  send(site: Site, sending: Sending, prepared: Prepared): Promise<SendEnd<Prepared>>;
  /** Whether sending again with the same key creates no second post, however the first call ended. Absent: it may create one. */
  isRepeatable?(sending: Sending): boolean;
  /**
   * Whether the network has the post. Called after a lost answer, and while the network is processing. Trouble about content
   * or media is a verdict on the post only with `isVerdict`: a refused question says nothing.
   */
  confirm(site: Site, sending: Sending, prepared: Prepared): Promise<Confirmation<Prepared>>;
  /**
   * How long the network may still act on a request after our connection to it broke. Within this time a post that is not
   * there may still appear. Between 2 and 30 minutes: idempotency keys are used for 45.
   */
  readonly holdMs: number;

  /** How many posts one read can cover. */
  readonly postsPerRead: number;
  /** One reading for each post, in the same order. */
  readMetrics(site: Site, account: NetworkAccount, posts: readonly PublishedPost[]): Promise<readonly MetricsRead[]>;
}
