// Shows push messages and opens their pages. It caches nothing and intercepts no request.

self.addEventListener('install', () => self.skipWaiting());

self.addEventListener('push', (event) => {
  const { title = 'Posthorn', body = '', path = '/', tag } = read(event.data);
  event.waitUntil(
    self.registration.showNotification(title, {
      body,
      tag,
      renotify: tag !== undefined,
      icon: '/icon-192.png',
      data: { path },
    }),
  );
});

self.addEventListener('notificationclick', (event) => {
  event.notification.close();
  event.waitUntil(open(event.notification.data?.path));
});

const read = (data) => {
  try {
    return data?.json() ?? {};
  } catch {
    return {};
  }
};

const answerMs = 300;

/** Whether the tab opens the path. Pages outside the app, such as the help, do not answer. */
const opensIn = (tab, path) =>
  new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => resolve(true);
    setTimeout(() => resolve(false), answerMs);
    tab.postMessage({ open: path }, [port2]);
  });

/** In an open tab or a new one, and only on this origin. */
const open = async (path) => {
  const own = typeof path === 'string' && /^\/(?![/\\])/.test(path) ? path : '/';
  for (const tab of await self.clients.matchAll({ type: 'window', includeUncontrolled: true })) {
    if (await opensIn(tab, own)) return tab.focus();
  }
  return self.clients.openWindow(own);
};
