import { useQuery } from '@tanstack/react-query';
import { queries } from '#web/queries.ts';
import { nameOf, type Role, useMay } from '#web/session.ts';

/** For somebody whose role forbids something: who has the right. `act`: `connect accounts`. */
export const WhoMay = ({ act, roles = ['owner', 'admin'] }: { act: string; roles?: readonly Role[] }) => {
  const { role } = useMay();
  const members = useQuery(queries.members).data?.members ?? [];
  const names = members.filter((member) => roles.includes(member.role)).map(nameOf);
  const who = roles.includes('admin') ? 'Owners and admins' : 'Owners';
  return (
    <>
      {who} {act}; you are {role} here.{names.length > 0 && ` Ask ${listed(names)}.`}
    </>
  );
};

/** `Marta, Jonas or Ada`; of many the first three. */
const listed = (names: readonly string[]) => {
  const some = names.slice(0, 3);
  return some.length === 1 ? some[0] : `${some.slice(0, -1).join(', ')} or ${some.at(-1)}`;
};
