import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { queries } from '#web/base/queries.ts';
import { usePermissions } from '#web/base/session.ts';
import { count } from '#web/parts/number.ts';
import { Section } from '#web/parts/section.tsx';
import styles from './workspace.module.css';

export const SlotsLink = () => {
  const { data } = useQuery(queries.slots);
  const { canWrite } = usePermissions();
  return (
    <Section title="Slots" card>
      <div className={styles.row}>
        <span className={styles.text}>
          <span>Weekly times at which posts go out</span>
          <span className="small text-3">
            {data === undefined
              ? ' '
              : data.slots.length === 0
                ? 'None yet'
                : `${count(data.slots.length, 'slot')}, in ${data.timeZone.replaceAll('_', ' ')}`}
          </span>
        </span>
        <Link to="/settings/slots">{!canWrite ? 'Open' : data?.slots.length === 0 ? 'Plan slots' : 'Change'}</Link>
      </div>
    </Section>
  );
};
