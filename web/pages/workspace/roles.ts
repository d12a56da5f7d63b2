import type { Role } from '#web/base/session.ts';
import { capitalize } from '#web/parts/capitalize.ts';

/** Highest first. */
const ranked: readonly Role[] = ['owner', 'admin', 'editor', 'viewer'];

const may: Record<Role, string> = {
  owner: 'Everything, the plan and other owners included',
  admin: 'Accounts, webhooks and members',
  editor: 'Writes, schedules and publishes',
  viewer: 'Looks, and changes nothing',
};

const rank = (role: Role) => ranked.indexOf(role);

/** Roles that a person with the role `own` may assign. */
export const rolesFor = (own: Role) =>
  ranked
    .filter((role) => rank(role) >= rank(own))
    .map((role) => ({ value: role, label: capitalize(role), may: may[role] }));

export const isAbove = (role: Role, own: Role) => rank(role) < rank(own);
