import { Link } from '@tanstack/react-router';
import { usePermissions } from '#web/base/session.ts';
import { Section } from '#web/parts/section.tsx';
import { useNextSlot } from '#web/parts/use-next-slot.ts';
import { When } from '#web/parts/when.tsx';
import styles from './slots.module.css';

export const NextFree = () => {
  const at = useNextSlot([]);
  const { canWrite } = usePermissions();
  if (at === undefined) return null;
  return (
    <Section title="Next free slot" card>
      <div className={styles.next}>
        <b className="number">
          <When at={at} form="full" />
        </b>
        <span className="small text-2">
          <When at={at} form="relative" />
        </span>
        {canWrite && (
          <Link to="/posts/$id" params={{ id: 'new' }} search={{ at }} style={{ marginLeft: 'auto' }}>
            Write for this time
          </Link>
        )}
      </div>
    </Section>
  );
};
