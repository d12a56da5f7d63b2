import { z } from 'zod';
import { isUrl } from '#contracts/is-url';
import { dayMs, hourMs } from '#contracts/time';
import type { Clock } from '#server/base/clock';
import { badInput, issuesOf, Refusal } from '#server/base/errors';
import { newId } from '#server/base/ids';
import { networkOf } from './password-tries.ts';
import type { RateLimits } from './rate-limit.ts';
import type { RegistrationStore } from './registration-store.ts';

/** How long to keep a client without consent, and one that is no longer used. */
const unusedMs = dayMs;
const usedMs = 90 * dayMs;
/** A consent page expires after an hour, so a client without consent may be removed from then on to make room. */
const removableAfterMs = hourMs;
const maxUnused = 1000;
export const unnamed = 'An app without a name';

/** RFC 7591, 3.2.2. */
export class BadMetadata extends Error {
  readonly error: 'invalid_redirect_uri' | 'invalid_client_metadata';

  constructor(error: BadMetadata['error'], description: string) {
    super(description);
    this.error = error;
  }
}

export interface RegisteredClient {
  readonly id: string;
  readonly name: string;
  readonly redirectUris: readonly string[];
}

export type Registrations = ReturnType<typeof createRegistrations>;

/** Clients that register themselves (RFC 7591). Nothing proves who they are. */
export const createRegistrations = ({
  store,
  rateLimits,
  perHour,
  clock,
}: {
  store: RegistrationStore;
  rateLimits: RateLimits;
  perHour: number;
  clock: Clock;
}) => {
  const rate = rateLimits.create({ name: 'register', limit: perHour, windowMs: hourMs });
  const before = (ms: number) => new Date(clock.now().getTime() - ms);

  return {
    register: async (metadata: unknown, address: string): Promise<RegisteredClient & { at: Date }> => {
      rate.mustHaveLeft(networkOf(address));
      const { client_name, redirect_uris } = parseMetadata(metadata);
      const at = clock.now();
      const client = { id: newId('registration', at), name: client_name, redirectUris: redirect_uris, at };
      const limit = { max: maxUnused, removableBefore: before(removableAfterMs) };
      if (!(await store.insert(client, limit))) throw tooManyClients();
      return client;
    },

    find: async (id: string): Promise<RegisteredClient | undefined> => {
      const client = idPattern.test(id) ? await store.find(id) : undefined;
      return client && { id, ...client };
    },

    purge: () => store.purge(before(unusedMs), before(usedMs)),
  };
};

const idPattern = /^reg_[0-9A-Z]{26}$/;

const tooManyClients = () => {
  const refusal = new Refusal(
    'TooManyRequests',
    'Too many clients wait for a first consent. Try again in an hour, or use a client metadata document or a personal token.',
  );
  refusal.retryAfterSeconds = hourMs / 1000;
  return refusal;
};

const loopbackHost = /^(localhost|127\.0\.0\.1|\[::1\])$/;

/** RFC 8252 and MCP: `https`, or `http` to the machine of the browser. */
const isRedirectUri = (uri: string) => {
  if (!/^https?:\/\/[!-~]+$/i.test(uri) || /[\\#]/.test(uri) || !isUrl(uri)) return false;
  const { protocol, hostname, username, password } = new URL(uri);
  return username + password === '' && (protocol === 'https:' || (protocol === 'http:' && loopbackHost.test(hostname)));
};

const isStorable = (text: string) => text.isWellFormed() && !text.includes('\0');
const including = (value: string) =>
  z.array(z.string()).refine((list) => list.includes(value), `must include ${value}, which is all there is`);

/** The fields that we use. The RFC allows us to ignore the rest, and to answer with the values that apply. */
const Metadata = z.object(
  {
    client_name: z
      .string()
      .max(200)
      .refine(isStorable, 'must be text without NUL and half surrogate pairs')
      .transform((name) => name.trim() || unnamed)
      .default(unnamed),
    redirect_uris: z
      .array(
        z
          .string()
          .max(2000)
          .refine(
            isRedirectUri,
            'must be https://, or http:// to localhost, 127.0.0.1 or [::1], without user name or fragment',
          ),
      )
      .min(1)
      .max(20),
    grant_types: including('authorization_code').optional(),
    response_types: including('code').optional(),
  },
  'must be a JSON object',
);

const parseMetadata = (metadata: unknown) => {
  const { success, data, error } = Metadata.safeParse(metadata);
  if (success) return data;
  const { message, issues } = badInput(...issuesOf(error, metadata));
  const isRedirect = issues[0]?.path.startsWith('redirect_uris');
  throw new BadMetadata(isRedirect ? 'invalid_redirect_uri' : 'invalid_client_metadata', message);
};
