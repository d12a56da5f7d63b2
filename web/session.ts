import { useSuspenseQuery } from '@tanstack/react-query';
import type { Session } from '#generated/app-client';
import { browserZone } from '#web/parts/time.ts';
import { queries } from './queries.ts';

export type Role = NonNullable<Session['workspace']>['role'];

/** Who is signed in. Pages stand inside the shell, which has read it. */
export const useSession = () => useSuspenseQuery(queries.session).data;

/** The open workspace; the shell shows no page without one. */
export const useWorkspace = () => {
  const { workspace } = useSession();
  if (workspace === undefined) throw new Error('no workspace is open');
  return workspace;
};

const writers: readonly Role[] = ['owner', 'admin', 'editor'];
const managers: readonly Role[] = ['owner', 'admin'];

/** What the person may do here. The server decides; this only hides what it would refuse. */
export const useMay = () => {
  const { role } = useWorkspace();
  return { role, write: writers.includes(role), manage: managers.includes(role), own: role === 'owner' };
};

/** The person's time zone: of their profile, else the browser's. */
export const useZone = (): string => useSession().user.timeZone || browserZone();

/** What to call somebody: their name, else the front of their address. */
export const nameOf = (person: { email: string; name?: string }) =>
  person.name || (person.email.split('@')[0] ?? person.email);
