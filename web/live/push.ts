const workerPath = '/push-worker.js';

/** Push needs https, and on iOS the app on the home screen. */
export const canPush = () => 'serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window;

/** Only the browser's settings can undo a denial. */
export const isPushBlocked = () => canPush() && Notification.permission === 'denied';

/** Asks the person, then the browser's push service. Undefined when the person declines. */
export const subscribeToPush = async (publicKey: string) => {
  if ((await Notification.requestPermission()) !== 'granted') return undefined;
  await navigator.serviceWorker.register(workerPath);
  const { pushManager } = await navigator.serviceWorker.ready;
  const options = { userVisibleOnly: true, applicationServerKey: publicKey };
  // A subscription made for another server key cannot be reused.
  const subscription = await pushManager.subscribe(options).catch(async () => {
    await (await pushManager.getSubscription())?.unsubscribe();
    return pushManager.subscribe(options);
  });
  const { endpoint = '', keys = {} } = subscription.toJSON();
  return { endpoint, keys: { p256dh: keys.p256dh ?? '', auth: keys.auth ?? '' } };
};

export const unsubscribeFromPush = async () => {
  const worker = await navigator.serviceWorker?.getRegistration(workerPath);
  await (await worker?.pushManager.getSubscription())?.unsubscribe();
};
