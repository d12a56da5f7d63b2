// A person in the app, as a browser is: with the cookie of a session.
import assert from 'node:assert/strict';

/** Signs in, and returns a function that sends requests of the app. */
export const signIn = async (url, { email, password }) => {
  let cookie = '';
  const ask = async (method, path, body) => {
    const headers = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin', cookie };
    const answer = await fetch(url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    const content = await answer.json();
    assert.equal(answer.status, 200, `${path}: ${JSON.stringify(content)}`);
    cookie = answer.headers.getSetCookie()[0]?.split(';')[0] ?? cookie;
    return content;
  };
  await ask('POST', '/api/auth/sign-in', { email, password });
  return ask;
};

const handle = 'anna';

/** Connects an account on the sandbox of a network. The command `posthorn account add` starts a whole service for it. */
export const connectAccount = async (url, person, network) => {
  const ask = await signIn(url, person);
  const { fields } = await ask('GET', `/api/app/connect/${network}`);
  const values = Object.fromEntries(fields.filter(({ required }) => required).map(({ name }) => [name, handle]));
  let step = await ask('POST', '/api/app/connections', { network, values });
  if (step.accountIds === undefined && URL.canParse(step.next)) {
    // The service gives its pages the port of its settings, which is 0 here.
    const { pathname, search } = new URL(step.next);
    const answer = await consent(url + pathname + search);
    step = await ask('POST', `/api/app/connect/${network}/finish`, { answer });
  }
  if (step.accountIds === undefined) {
    const id = step.next.split('/').at(-1);
    const { accounts } = await ask('GET', `/api/app/connections/${id}`);
    step = await ask('POST', `/api/app/connections/${id}/choose`, { ids: [accounts[0].id] });
  }
  return { id: step.accountIds[0] };
};

/** Grants everything on the page of the network. Returns the parameters of the address to which it sends the person. */
const consent = async (page) => {
  const text = await (await fetch(page)).text();
  const scopes = [...text.matchAll(/name="(scope [^"]+)"/g)].map(([, name]) => [name.replaceAll('&amp;', '&'), 'on']);
  const form = new URLSearchParams([['handle', handle], ['answer', 'allow'], ...scopes]);
  const answer = await fetch(page, { method: 'POST', body: form, redirect: 'manual' });
  return Object.fromEntries(new URL(answer.headers.get('location')).searchParams);
};
