// During a deployment the process that answers may not have the files that this page names. Reload a few times, then say
// what to do. app-files.ts handles chunks that are loaded later.
(() => {
  const key = 'posthorn-first-files';
  const mostTries = 3;
  const pauseMs = 500;
  let hasFailed = false;

  const triesBefore = () => {
    try {
      return Number(sessionStorage.getItem(key));
    } catch {
      return mostTries;
    }
  };
  const remember = (tries) => {
    try {
      sessionStorage.setItem(key, String(tries));
    } catch {}
  };

  const readAnew = () => {
    const tries = triesBefore();
    if (tries < mostTries) {
      remember(tries + 1);
      location.reload();
      return;
    }
    remember(0);
    const sentence = document.createElement('p');
    sentence.setAttribute('role', 'alert');
    sentence.textContent =
      'Some files of Posthorn could not be loaded. Wait a minute and reload the page. If that does not help, tell whoever runs this server.';
    document.body.prepend(sentence);
  };

  const hear = ({ target }) => {
    if (hasFailed || !(target instanceof Element) || !target.matches('script[type=module], link[rel=stylesheet]'))
      return;
    hasFailed = true;
    setTimeout(readAnew, pauseMs);
  };
  addEventListener('error', hear, true);
  addEventListener('load', () => {
    removeEventListener('error', hear, true);
    if (!hasFailed) remember(0);
  });
})();
