import { Checkbox, Switch } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { ChangeNotificationChoicesInput, NotificationChoices } from '#generated/app-client';
import { app } from '#web/base/api.ts';
import { keys } from '#web/base/queries.ts';
import { Loaded } from '#web/parts/loaded.tsx';
import { Section } from '#web/parts/section.tsx';
import setting from '#web/parts/setting.module.css';
import { useAnchor } from '#web/parts/use-anchor.ts';
import { useOptimisticChange, usePendingChanges } from '#web/parts/use-optimistic-change.ts';
import styles from './profile.module.css';
import { PushBrowsers } from './push-browsers.tsx';

type Topic = NotificationChoices['mail'][number];

const topics: readonly [topic: Topic, label: string, note: string][] = [
  ['requests', 'Requests', 'An agent or a colleague asks to publish, schedule, change or delete, and you decide.'],
  ['posts', 'Posts', 'A post failed, or may or may not be out.'],
  ['accounts', 'Accounts', 'A network asks for a new sign-in.'],
  ['webhooks', 'Webhooks', 'A webhook was paused.'],
  [
    'personal',
    'Only for you',
    'Your request was decided, somebody mentions you in a comment, or your import is finished.',
  ],
  ['people', 'People and the workspace', 'Somebody joined, or the workspace is being deleted.'],
];

/** Every mail links to `#notifications`. */
export const Notifications = () => {
  const query = useQuery({
    queryKey: keys.notificationChoices,
    queryFn: ({ signal }) => app.getNotificationChoices({ signal }),
  });
  useAnchor('notifications', query.data !== undefined);
  return (
    <Section anchor="notifications" title="Notifications" note="outside the app, from all your workspaces" card>
      <Loaded query={query} title="Your choices could not be loaded" rows={6} height={54}>
        {(saved) => <Choices saved={saved} />}
      </Loaded>
    </Section>
  );
};

const key = ['notification choices'];

const Choices = ({ saved }: { saved: NotificationChoices }) => {
  const client = useQueryClient();
  const { mutate } = useOptimisticChange({
    key,
    send: (change: ChangeNotificationChoicesInput) => app.changeNotificationChoices(change),
    onSuccess: async (fresh) => {
      await client.cancelQueries({ queryKey: keys.notificationChoices });
      client.setQueryData(keys.notificationChoices, fresh);
    },
  });
  // A change sends all topics of its channel, so it must include pending ones.
  const pending = usePendingChanges<ChangeNotificationChoicesInput>(key);
  const choices: NotificationChoices = Object.assign({}, saved, ...pending);
  const change = (way: 'mail' | 'push', topic: Topic, on: boolean) =>
    mutate({ [way]: on ? [...choices[way], topic] : choices[way].filter((one) => one !== topic) });
  return (
    <>
      <table className={styles.topics}>
        <thead>
          <tr>
            <th scope="col">
              <span className="hidden">What</span>
            </th>
            <th scope="col" className={styles.way}>
              Mail
            </th>
            <th scope="col" className={styles.way}>
              Push
            </th>
          </tr>
        </thead>
        <tbody>
          {topics.map(([topic, label, note]) => (
            <tr key={topic}>
              <th scope="row" className={styles.topic}>
                {label}
                <span className="small text-3">{note}</span>
              </th>
              {(['mail', 'push'] as const).map((way) => (
                <td key={way} className={styles.tick}>
                  <Checkbox
                    aria-label={`${label} by ${way}`}
                    checked={choices[way].includes(topic)}
                    disabled={way === 'mail' && !choices.mailOffered}
                    onChange={(event) => change(way, topic, event.currentTarget.checked)}
                  />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {!choices.mailOffered && (
        <p className={`small text-3 ${styles.note}`}>No mail is sent from here: the operator has not set SMTP_URL.</p>
      )}
      <div className={setting.setting}>
        <div className={setting.words}>
          <p id="push-text">Show the post in push messages</p>
          <p className="small text-3">Its first words then appear on the lock screen. Mails never show it.</p>
        </div>
        <Switch
          aria-labelledby="push-text"
          checked={choices.pushText}
          onChange={(event) => mutate({ pushText: event.currentTarget.checked })}
        />
      </div>
      <PushBrowsers choices={choices} />
    </>
  );
};
