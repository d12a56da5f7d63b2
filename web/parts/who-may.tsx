import { useQuery } from '@tanstack/react-query';
import { queries } from '#web/base/queries.ts';
import { nameOf, type Role, usePermissions } from '#web/base/session.ts';
import { joinWithOr } from './join-names.ts';

/** Tells people without permission whom to ask. `act`: `connect accounts`. */
export const WhoMay = ({ act, roles = ['owner', 'admin'] }: { act: string; roles?: readonly Role[] }) => {
  const { role } = usePermissions();
  const members = useQuery(queries.members).data?.members ?? [];
  const names = members.filter((member) => roles.includes(member.role)).map(nameOf);
  const who = roles.includes('admin') ? 'Owners and admins' : 'Owners';
  return (
    <>
      {who} {act}; you are {role} here.{names.length > 0 && ` Ask ${joinWithOr(names.slice(0, 3))}.`}
    </>
  );
};
