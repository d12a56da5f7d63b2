import { useSuspenseQuery } from '@tanstack/react-query';
import type { Session } from '#generated/app-client';
import { queries } from './queries.ts';
import { browserZone } from './time.ts';

export type Role = NonNullable<Session['workspace']>['role'];

/** Pages render inside the shell, which has loaded the session. */
export const useSession = () => useSuspenseQuery(queries.session).data;

/** The shell renders no page without a workspace. */
export const useWorkspace = () => {
  const { workspace } = useSession();
  if (workspace === undefined) throw new Error('no workspace is open');
  return workspace;
};

const writers: readonly Role[] = ['owner', 'admin', 'editor'];
const managers: readonly Role[] = ['owner', 'admin'];

/** The server enforces permissions; this only hides what it would refuse. */
export const usePermissions = () => {
  const { role, canPublish } = useWorkspace();
  const canWrite = writers.includes(role);
  return {
    role,
    canWrite,
    canPublish,
    /** When this person publishes or schedules, the server creates an approval request instead. */
    canOnlyAsk: canWrite && !canPublish,
    canManage: managers.includes(role),
    isOwner: role === 'owner',
  };
};

/** The profile's time zone, else the browser's. */
export const useZone = (): string => useSession().user.timeZone || browserZone();

/** The name, else the local part of the e-mail address. */
export const nameOf = (person: { email: string; name?: string }) =>
  person.name || (person.email.split('@')[0] ?? person.email);
