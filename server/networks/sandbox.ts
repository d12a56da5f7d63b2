import type { Request as HttpRequest, Response as HttpResponse, RequestHandler, Router } from 'express';
import type { z } from 'zod';
import type { MetricName } from '#contracts/analytics';
import type { Json } from './network.ts';

/** Faults that a sandbox can simulate, chosen by a mark in the text such as `[sandbox:429]` or on the sandbox page. */
export const faults = {
  '429': 'Asks to wait, and says how long',
  '429-bare': 'Asks to wait, and does not say how long',
  '503': 'Is not available',
  '503-late': 'Says that it is not available, and takes the post 20 seconds later all the same',
  '500-after': 'Takes the post, then answers with an error',
  lost: 'Takes the post and never answers',
  cut: 'Takes the post and closes the connection in the middle of its answer',
  late: 'Closes the connection without an answer, and takes the post five minutes later',
  hang: 'Takes nothing and never answers',
  html: 'Takes nothing and answers a web page',
  slow: 'Answers after three seconds',
  'expired-token': 'Says that the token has expired; a new one works',
  'refused-token': 'Takes the access away until the account is connected again',
  'missing-permission': 'Says that a permission is missing',
  'content-refused': 'Refuses the text',
  'media-refused': 'Refuses the media',
} as const;
export type Fault = keyof typeof faults;

/** When the fault happens: during an upload, at the call that makes a post public, or when statistics are read. */
export const faultMoments = ['upload', 'publish', 'read'] as const;
export type FaultMoment = (typeof faultMoments)[number];

/** How a network refuses, in its own error format. Each answers the request. */
export type Refusals = Readonly<
  Record<
    | '429'
    | '429-bare'
    | '503'
    | 'expired-token'
    | 'refused-token'
    | 'missing-permission'
    | 'content-refused'
    | 'media-refused',
    (res: HttpResponse) => void
  >
>;

/** Somebody who has an account at the sandbox. */
export interface SandboxPerson {
  /** Digits only, and derived from the handle. */
  readonly id: string;
  readonly handle: string;
  readonly name: string;
  readonly avatarUrl: string;
}

export interface SandboxGrant {
  readonly person: SandboxPerson;
  readonly scopes: readonly string[];
  /** Private data of the sandbox. */
  readonly data: Json;
  readonly expired: boolean;
}

export interface SandboxPost {
  readonly id: string;
  /** Id of the person, page or place it belongs to. */
  readonly author: string;
  /** The name that the sandbox page shows. */
  readonly authorName: string;
  readonly text: string;
  /** Addresses or names of the attachments. */
  readonly media: readonly string[];
  readonly replyTo?: string;
  /** ISO-8601 instant. */
  readonly createdAt: string;
  /** Whatever else the network's answers need. */
  readonly data: Json;
  /** The last edit, if there was one. */
  readonly edited?: { readonly at: string /** Before the first edit. */; readonly firstText: string };
}

export interface SandboxForm {
  readonly fields: Readonly<Record<string, string>>;
  readonly files: Readonly<Record<string, { readonly mimeType: string; readonly bytes: Buffer }>>;
}

/** What every sandbox is built on. All of it is stored, so that a restart loses nothing. */
export interface SandboxKit {
  now(): Date;
  /** A number that is unique on this network and grows, as text. */
  newId(): string;
  /** The address of the sandbox as its caller knows it, to build further addresses: `here(req)` + `/api/upload/…`. */
  here(req: HttpRequest): string;
  /** The same for people, for permalinks. */
  link(path: string): string;

  readonly people: {
    /** Creates the person the first time. */
    signIn(handle: string): Promise<SandboxPerson>;
    get(id: string): Promise<SandboxPerson | undefined>;
  };

  /**
   * The consent page, for GET and POST of the authorization address: `router.all(path, kit.consent(…))`. It asks for a
   * handle, shows the scopes, each of which can be refused, and redirects back with `code` and `state`. `check` says
   * what is wrong with the request.
   */
  consent(options: {
    readonly check: (query: Readonly<Record<string, string>>) => string | undefined;
    readonly scopesOf: (query: Readonly<Record<string, string>>) => readonly string[];
    /** Ten minutes, unless the network says otherwise. */
    readonly codeLifeMs?: number;
    /** Appended to the code, as Meta does. */
    readonly suffix?: string;
    /** Words in a handle that make the network behave in a special way, and how. */
    readonly states?: Readonly<Record<string, string>>;
    /** Redirects with `error` and `error_description` instead of a code. */
    readonly refusalOf?: (handle: string) => readonly [error: string, description: string] | undefined;
  }): RequestHandler;

  readonly grants: {
    /** A secret for one use: `code`, `access`, `refresh`, `app`, whatever the sandbox has. */
    issue(
      use: string,
      grant: { person: SandboxPerson; scopes: readonly string[]; lifeMs?: number; data?: Json },
    ): Promise<string>;
    /** Undefined when it was never issued, or was revoked. */
    find(use: string, secret: string): Promise<SandboxGrant | undefined>;
    /** Finds and ends it atomically: of two callers only one gets it. */
    take(use: string, secret: string): Promise<SandboxGrant | undefined>;
    /** Revokes all grants of a person, for every use. */
    revokeAll(person: SandboxPerson): Promise<void>;
  };

  /** Uploads, containers, sessions, registered apps and any other state of the sandbox. */
  readonly records: {
    put(kind: string, id: string, value: Json): Promise<void>;
    /** False when there is one of this id already; two callers at once never both get true. */
    add(kind: string, id: string, value: Json): Promise<boolean>;
    get<T extends Json>(kind: string, id: string): Promise<T | undefined>;
    remove(kind: string, id: string): Promise<void>;
  };

  readonly posts: {
    /** False when there is a post of this id already. */
    add(post: SandboxPost): Promise<boolean>;
    get(id: string): Promise<SandboxPost | undefined>;
    remove(id: string): Promise<void>;
    /** Keeps the post's position in lists, and its numbers. */
    edit(post: SandboxPost, changes: Partial<Pick<SandboxPost, 'text' | 'media' | 'data'>>): Promise<SandboxPost>;
    /** Newest first. */
    of(author: string, limit: number): Promise<SandboxPost[]>;
    replies(id: string): Promise<SandboxPost[]>;
  };

  /** The complete body, of any type; JSON and forms are already in `req.body`. */
  readBytes(req: HttpRequest): Promise<Buffer>;
  readMultipart(req: HttpRequest): Promise<SandboxForm>;

  /** Plausible numbers that grow with the age of a post and never shrink. */
  numbers(post: SandboxPost): Readonly<Record<MetricName, number>>;

  /** The bytes behind an address, as a network that fetches media would get them; undefined when it cannot. */
  fetchMedia(url: string): Promise<{ readonly mimeType: string; readonly bytes: Buffer } | undefined>;

  /**
   * The one call that makes something public. `make` stores it and returns what `answer` sends; a fault can prevent one
   * or both. A mark in the text works once, with `!` at its end every time.
   */
  commit<T>(
    req: HttpRequest,
    res: HttpResponse,
    call: {
      readonly text: string;
      readonly person: SandboxPerson;
      readonly refusals: Refusals;
      readonly make: () => Promise<T>;
      readonly answer: (created: T) => void;
    },
  ): Promise<void>;

  /**
   * For uploads and reads: true when a fault set on the sandbox page has answered the request, or leaves it unanswered.
   */
  isFaulty(
    moment: Exclude<FaultMoment, 'publish'>,
    req: HttpRequest,
    res: HttpResponse,
    call: { readonly person: SandboxPerson; readonly refusals: Refusals },
  ): Promise<boolean>;
}

/** A network's stand-in: speaks its HTTP API as the network documents it, below `/sandbox/<key>/<name of host>`. */
export type Sandbox = (kit: SandboxKit) => Router;

/**
 * The calls we make, as the network's own machine-readable description defines them, in small schemas of our own. Tests
 * check every request of the adapter and every answer of the sandbox against it: an undocumented field fails.
 */
export interface Documented {
  readonly calls: readonly DocumentedCall[];
  /** The body of answers with status 400 or above. */
  readonly error: z.ZodType;
}

interface DocumentedCall {
  /** `POST api/2/tweets`: the host's name and the path below it; `:id` matches any one segment. */
  readonly call: string;
  /** Absent: no query parameters are allowed. */
  readonly query?: z.ZodType;
  /** JSON, or the fields of a form; in a form of several parts a file is `true`. Absent: nothing, or plain bytes. */
  readonly body?: z.ZodType;
  /** Absent: an answer without content. */
  readonly answer?: z.ZodType;
}
