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

/** In an open tab or a new one, and only on this origin. */
const open = async (path) => {
  const own = typeof path === 'string' && /^\/(?![/\\])/.test(path) ? path : '/';
  const [tab] = await self.clients.matchAll({ type: 'window', includeUncontrolled: true });
  if (tab === undefined) return self.clients.openWindow(own);
  tab.postMessage({ open: own });
  return tab.focus();
};
