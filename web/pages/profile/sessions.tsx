import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { OpenSession } from '#generated/app-client';
import { app } from '#web/base/api.ts';
import { keys } from '#web/base/queries.ts';
import { Loaded } from '#web/parts/loaded.tsx';
import { Section } from '#web/parts/section.tsx';
import styles from '#web/parts/setting.module.css';
import { showFault } from '#web/parts/toasts.tsx';
import { When } from '#web/parts/when.tsx';

export const Sessions = () => {
  const query = useQuery({
    queryKey: keys.sessions,
    queryFn: ({ signal }) => app.listSessions({ signal }),
  });
  return (
    <Section title="Sessions" note="browsers that you are signed in with" card>
      <Loaded query={query} title="The sessions could not be loaded" rows={2} height={60}>
        {({ sessions }) => (
          <ul aria-label="Sessions">
            {sessions.map((session) => (
              <SessionRow key={session.id} session={session} />
            ))}
          </ul>
        )}
      </Loaded>
    </Section>
  );
};

const SessionRow = ({ session: { id, userAgent, since, lastSeenAt, current } }: { session: OpenSession }) => {
  const client = useQueryClient();
  const { mutate, isPending } = useMutation({
    mutationFn: () => app.endSession({ id }),
    onError: showFault,
    onSettled: () => client.invalidateQueries({ queryKey: keys.sessions }),
  });
  const name = userAgent || 'Unknown browser';
  return (
    <li className={styles.setting}>
      <div className={styles.words}>
        <p>{name}</p>
        <p className="small text-3">
          {current ? 'This browser, ' : null}since <When at={since} form="day" />
          {!current && (
            <>
              , last seen <When at={lastSeenAt} form="said" />
            </>
          )}
        </p>
      </div>
      {!current && (
        <Button size="xs" loading={isPending} onClick={() => mutate()} aria-label={`End ${name}`}>
          End
        </Button>
      )}
    </li>
  );
};
