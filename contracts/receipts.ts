import { z } from 'zod';
import { appRoute, byId, CanonicalInstant, type Route, route } from './define.ts';
import { admins, everyone } from './scopes.ts';

/** How a person proved who they are. */
export const proofs = ['password', 'link', 'provider', 'passkey', 'totp', 'recovery-code'] as const;
export type Proof = (typeof proofs)[number];

const Digest = z.string().describe('SHA-256 in hex');

export const ReceiptEntry = z
  .object({
    version: z.literal(1).describe('Format of the entry'),
    kind: z.enum(['Decision', 'Outcome']).describe('A person decided, or publishing ended'),
    workspaceId: z.string().describe('Workspace id; each workspace has a log of its own'),
    number: z.int().describe('Place in the log of the workspace, from 1 without gaps'),
    previous: Digest.describe('SHA-256 of the entry before, in hex; 64 zeros for the first'),
    at: CanonicalInstant,
    cardId: z.string().optional().describe('Decision: the approval card'),
    action: z.string().optional().describe('Decision: dotted name of the action that was asked for'),
    decision: z
      .enum(['Approved', 'Rejected', 'Reopened'])
      .optional()
      .describe('Decision: what the person said; Reopened takes their rejection back'),
    personId: z.string().optional().describe('Decision: user who decided'),
    means: z
      .array(z.enum([...proofs, 'passkey-sign-in']))
      .optional()
      .describe(
        'Decision: how that person proved who they are. `passkey` confirmed this decision and is in `confirmation`; the others were at sign-in. Empty for a session from before receipts',
      ),
    requestedBy: z.string().optional().describe('Decision: user whose client asked'),
    client: z.string().optional().describe('Decision: name that the client gives itself'),
    input: Digest.optional().describe('Decision: SHA-256 of the input of the action, in hex'),
    content: Digest.optional().describe('Decision: SHA-256, in hex, of everything that the card showed'),
    confirmation: z
      .object({
        challenge: Digest.describe(
          'What the passkey signed: SHA-256, in hex, of the canonical JSON of `{nonce, numbers}`',
        ),
        nonce: z.string().describe('Random value, used once'),
        numbers: z
          .array(Digest)
          .describe(
            'One for each request of the pass: SHA-256 of the canonical JSON of `{cardId, content, scheduledAt}`, without scheduledAt if the time was not edited',
          ),
        scheduledAt: CanonicalInstant.optional().describe('The time that this person set'),
        passkeyId: z.string().describe('The passkey of that person'),
        assertion: z
          .object({
            publicKey: z.string().describe('Public key of the passkey (SPKI)'),
            authenticatorData: z.string().describe('What the device said of itself'),
            clientDataJSON: z.string().describe('What the browser said: the challenge, and the address of the page'),
            signature: z.string().describe('Of the device, over both'),
          })
          .optional()
          .describe('The answer of the passkey, as WebAuthn has it, in base64url; absent in entries of early versions'),
      })
      .optional()
      .describe('Decision: when it was confirmed with a passkey'),
    postId: z.string().optional().describe('The post it is about'),
    post: Digest.optional().describe(
      'SHA-256 of `{accountIds, versions}` of the post, in hex: as decided, or as it was published. Equal: nothing changed in between',
    ),
    approvedBy: z.int().optional().describe('Outcome: number of the last approval of this post'),
    status: z.enum(['Published', 'Failed']).optional().describe('Outcome: how publishing ended'),
    results: z
      .array(
        z.object({
          accountId: z.string().describe('Account id'),
          ok: z.boolean().describe('Whether it has the post'),
          uncertain: z.boolean().describe('True when success could not be confirmed'),
          externalId: z.string().optional().describe('The network’s own post id'),
        }),
      )
      .optional()
      .describe('Outcome: one per account'),
  })
  .meta({ id: 'ReceiptEntry', description: 'One entry of the log of decisions. It names people by id alone' });
export type ReceiptEntry = z.output<typeof ReceiptEntry>;

export const SignedEntry = z
  .object({
    entry: ReceiptEntry,
    keyId: z.string().describe('Key that signed it'),
    signature: z.string().describe('Ed25519 over the canonical JSON (RFC 8785) of `entry`, in base64url'),
  })
  .meta({ id: 'SignedEntry', description: 'An entry with the signature of this installation' });
export type SignedEntry = z.output<typeof SignedEntry>;

export const ReceiptKey = z
  .object({
    id: z.string().describe('First 32 hex digits of the SHA-256 of the key'),
    publicKey: z.string().describe('Ed25519 public key, 32 bytes in base64url'),
    createdAt: CanonicalInstant,
  })
  .meta({ id: 'ReceiptKey', description: 'A public key that verifies receipts' });
export type ReceiptKey = z.output<typeof ReceiptKey>;

const Keys = z.array(ReceiptKey).describe('The keys that signed; compare them with a copy that you trust');

export const Receipt = z
  .object({
    entries: z.array(SignedEntry).describe('The decision, then how publishing ended, as often as it did'),
    keys: Keys,
  })
  .meta({ id: 'Receipt', description: 'Proof of one decision. `posthorn verify` checks it offline' });
export type Receipt = z.output<typeof Receipt>;

export const receiptRoutes = {
  getReceipt: appRoute({
    method: 'GET',
    path: '/api/approvals/:id/receipt',
    tag: 'Approvals',
    summary: 'Read the receipt of a decision',
    description:
      'Who decided, when and how, for which content; and how publishing ended. Signed by this installation and chained to the entry before. Receipts outlive their cards.',
    roles: everyone,
    params: byId('Card id'),
    answer: Receipt,
    more: ['NotFound'],
  }),

  listReceipts: appRoute({
    method: 'GET',
    path: '/api/app/receipts',
    tag: 'Approvals',
    summary: 'Read the log of decisions',
    description: 'All receipts of the open workspace in order, up to 500 at a time, for `posthorn verify --chain`.',
    roles: admins,
    query: z.strictObject({
      after: z
        .string()
        .regex(/^\d{1,9}$/, 'must be the number of an entry')
        .optional()
        .describe('Number of the last entry of the page before'),
    }),
    answer: z.object({
      entries: z.array(SignedEntry).describe('In order; at most 500'),
      keys: Keys,
      isLast: z.boolean().describe('False when there are more entries after these'),
    }),
  }),

  listReceiptKeys: route({
    method: 'GET',
    path: '/.well-known/posthorn-receipt-keys.json',
    tag: 'Approvals',
    summary: 'Read the public keys of receipts',
    description:
      'For everybody: the Ed25519 keys that sign receipts here. Store a copy when you begin to rely on receipts.',
    access: 'Open',
    responses: {
      200: { description: 'The keys', contentType: 'application/json', body: z.object({ keys: Keys }) },
    },
    errors: ['BadInput'],
  }),
} as const satisfies Record<string, Route>;
export type ReceiptRoutes = typeof receiptRoutes;
