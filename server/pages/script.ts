import { createHash } from 'node:crypto';
import { Router } from 'express';

/** Runs in the browser. A form names the path of the API it fills in; open tabs hear of new requests. */
const js = `
'use strict';

document.addEventListener('submit', async (event) => {
  const form = event.target;
  if (!form.dataset.api) return;
  event.preventDefault();
  const [method, path] = form.dataset.api.split(' ');
  const said = form.querySelector('[role=alert]');
  const button = event.submitter;
  said.textContent = '';
  if (button) button.disabled = true;
  try {
    const response = await fetch(path, {
      method,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(Object.fromEntries(new FormData(form))),
    });
    const answer = await response.json();
    if (!response.ok) throw new Error(answer.message);
    const shown = form.querySelector('output');
    if (shown) {
      shown.textContent = answer.token || answer.url;
      shown.hidden = false;
    } else location.assign(form.dataset.next || location.href);
  } catch (error) {
    said.textContent = error.message;
  } finally {
    if (button) button.disabled = false;
  }
});

const toasts = document.querySelector('.toasts');
if (toasts) {
  const news = new EventSource('/api/app/events');
  news.addEventListener('approval', (event) => {
    const { id, text } = JSON.parse(event.data);
    if (!text) return;
    const link = document.createElement('a');
    link.className = 'toast';
    link.href = '/approvals/' + encodeURIComponent(id);
    link.textContent = text + ' — look at it';
    toasts.append(link);
  });
}
`.trimStart();

const version = createHash('sha256').update(js).digest('base64url').slice(0, 8);

export const script = `/assets/posthorn.js?v=${version}`;

export const scriptRoutes = (): Router =>
  Router().get('/assets/posthorn.js', (_req, res) => {
    res.setHeader('cache-control', 'public, max-age=31536000, immutable');
    res.type('js').send(js);
  });
