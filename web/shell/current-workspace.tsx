import { useQuery } from '@tanstack/react-query';
import { queries } from '#web/base/queries.ts';
import { useWorkspace } from '#web/base/session.ts';
import { Mark } from '#web/parts/mark.tsx';
import styles from './workspace-switcher.module.css';

export const CurrentWorkspace = () => {
  const { name } = useWorkspace();
  const members = useQuery(queries.members).data?.members.length;
  return (
    <>
      <Mark size={28} />
      <span className="lines rail-hidden">
        <span className={`one-line ${styles.name}`} dir="auto">
          {name}
        </span>
        <span className="caption text-3">{members === undefined ? '\u00a0' : memberLine(members)}</span>
      </span>
    </>
  );
};

const memberLine = (members: number) => (members === 1 ? 'Just you' : `${members} members`);
