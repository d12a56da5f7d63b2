const workerPath = '/push-worker.js';

/** Whether this browser can show push messages at all: it takes https, and on an iPhone the installed app. */
export const canPush = () => 'serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window;

/** The person said no to this browser; only its own settings can change that. */
export const isPushBlocked = () => canPush() && Notification.permission === 'denied';

/** Asks the person, and then the push service of the browser. Undefined when the person says no. */
export const subscribeToPush = async (publicKey: string) => {
  if ((await Notification.requestPermission()) !== 'granted') return undefined;
  await navigator.serviceWorker.register(workerPath);
  const { pushManager } = await navigator.serviceWorker.ready;
  const asked = { userVisibleOnly: true, applicationServerKey: publicKey };
  // One that was made for another key of the server is of no use.
  const subscription = await pushManager.subscribe(asked).catch(async () => {
    await (await pushManager.getSubscription())?.unsubscribe();
    return pushManager.subscribe(asked);
  });
  const { endpoint = '', keys = {} } = subscription.toJSON();
  return { endpoint, keys: { p256dh: keys.p256dh ?? '', auth: keys.auth ?? '' } };
};

export const unsubscribeFromPush = async () => {
  const worker = await navigator.serviceWorker?.getRegistration(workerPath);
  await (await worker?.pushManager.getSubscription())?.unsubscribe();
};
