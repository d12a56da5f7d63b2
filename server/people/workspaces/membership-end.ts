import { admins, editors, everyone, type Role } from '#contracts/scopes';

export interface Membership {
  readonly userId: string;
  readonly workspaceId: string;
}

type End = (membership: Membership, role: Role | undefined) => Promise<unknown>;

/** Called inside the transaction that removes the member, or changes their role. */
export type EndMembership = (membership: Membership, role?: Role) => Promise<void>;

/**
 * Everything that a person has because of a membership, and the roles that keep it. Add here whatever else comes to depend
 * on a membership. What belongs to the workspace stays: posts, comments, accounts, webhooks, and requests for approval,
 * which somebody else decides in their own name.
 *
 * Joining again restores none of it.
 */
export const createMembershipEnd = (rules: {
  readonly sessions: { readonly closeWorkspace: End };
  readonly tokens: { readonly revokeIn: End };
  readonly people: { readonly endClientsIn: End };
  readonly invitations: { readonly withdrawBy: End };
  readonly shares: { readonly endOf: End };
  readonly connecting: { readonly drop: End };
  readonly messages: { readonly dropPending: End };
  readonly live: { readonly accessChanged: (userId: string) => Promise<void> };
}) => {
  const { sessions, tokens, people, invitations, shares, connecting, messages, live } = rules;
  const list: readonly { readonly what: string; readonly keptBy: readonly Role[]; readonly end: End }[] = [
    { what: 'workspace open in browsers', keptBy: everyone, end: sessions.closeWorkspace },
    { what: 'personal tokens', keptBy: everyone, end: tokens.revokeIn },
    { what: 'access of MCP clients', keptBy: everyone, end: people.endClientsIn },
    { what: 'mails and push messages on their way', keptBy: everyone, end: messages.dropPending },
    { what: 'review links', keptBy: editors, end: shares.endOf },
    { what: 'connections of accounts under way', keptBy: admins, end: connecting.drop },
    // An admin keeps invitations to roles that an admin may give.
    { what: 'invitations', keptBy: ['owner'], end: invitations.withdrawBy },
    // For any role: live streams and assistant answers check their access again, and end if it is gone.
    { what: 'open streams', keptBy: [], end: ({ userId }) => live.accessChanged(userId) },
  ];

  const endMembership: EndMembership = async (membership, role) => {
    for (const { keptBy, end } of list) {
      if (role === undefined || !keptBy.includes(role)) await end(membership, role);
    }
  };
  return { endMembership, things: list.map(({ what }) => what) };
};
