import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { NotificationChoices, PushBrowser } from '#generated/app-client';
import { app } from '#web/base/api.ts';
import { faultOf } from '#web/base/faults.ts';
import { keys } from '#web/base/queries.ts';
import { canPush, isPushBlocked, subscribeToPush, unsubscribeFromPush } from '#web/live/push.ts';
import styles from '#web/parts/setting.module.css';
import { showFault, showToast } from '#web/parts/toasts.tsx';
import { When } from '#web/parts/when.tsx';

export const PushBrowsers = ({ choices: { browsers, pushKey } }: { choices: NotificationChoices }) => (
  <>
    {!browsers.some(({ current }) => current) && <ThisBrowser pushKey={pushKey} />}
    {browsers.map((browser) => (
      <BrowserRow key={browser.id} browser={browser} />
    ))}
  </>
);

const ThisBrowser = ({ pushKey }: { pushKey: string }) => {
  const client = useQueryClient();
  const { mutate, isPending } = useMutation({
    mutationFn: async () => {
      const subscription = await subscribeToPush(pushKey).catch(() => {
        throw new NoPush();
      });
      return subscription && app.addPushBrowser(subscription);
    },
    onSuccess: (choices) => choices && client.setQueryData(keys.notificationChoices, choices),
    onError: (error) =>
      showToast({
        tone: 'red',
        text:
          error instanceof NoPush
            ? 'The push service of this browser does not answer. Try again later.'
            : faultOf(error).message,
      }),
  });
  return (
    <div className={styles.setting}>
      <div className={styles.words}>
        <p>Push messages to this browser</p>
        <p className="small text-3">{describeState()}</p>
      </div>
      {canPush() && !isPushBlocked() && (
        <Button size="xs" loading={isPending} onClick={() => mutate()}>
          Turn on here
        </Button>
      )}
    </div>
  );
};

class NoPush extends Error {}

const describeState = () => {
  if (!canPush())
    return 'This browser cannot show them here. It takes https, and on an iPhone or iPad Posthorn on the home screen.';
  if (isPushBlocked()) return 'This browser blocks them. Allow notifications for this site in its settings.';
  return 'Off. They end when you sign out here.';
};

const BrowserRow = ({ browser: { id, browser, since, current } }: { browser: PushBrowser }) => {
  const client = useQueryClient();
  const { mutate, isPending } = useMutation({
    mutationFn: async () => {
      await app.removePushBrowser({ id });
      if (current) await unsubscribeFromPush();
    },
    onError: showFault,
    onSettled: () => client.invalidateQueries({ queryKey: keys.notificationChoices }),
  });
  const name = browser || 'Unknown browser';
  return (
    <div className={styles.setting}>
      <div className={styles.words}>
        <p>Push messages to {name}</p>
        <p className="small text-3">
          {current ? 'This browser, ' : null}since <When at={since} form="day" />
        </p>
      </div>
      <Button size="xs" loading={isPending} onClick={() => mutate()} aria-label={`Turn off for ${name}`}>
        Turn off
      </Button>
    </div>
  );
};
