import assert from 'node:assert/strict';

/** Calls actions of a service as a client with this token. A refused action fails the measurement. */
export const callOf = (url, token) => async (action, input) => {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const answer = await fetch(`${url}/api/agent/tools/${action}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(input),
  });
  const content = await answer.json();
  assert.equal(answer.status, 200, `${action}: ${JSON.stringify(content)}`);
  return content;
};
