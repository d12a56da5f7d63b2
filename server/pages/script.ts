import { createHash } from 'node:crypto';
import { Router } from 'express';
import { composeScript } from './compose-script.ts';

/** Runs in the browser. A form names the path of the API it fills in; open tabs hear what is new. */
const js = `
'use strict';

// What this page is about: another tab may have switched to another workspace since.
const workspace = document.querySelector('[data-workspace]')?.dataset.workspace;

const ask = async (method, path, body) => {
  const isForm = body instanceof FormData;
  const headers = {
    ...(workspace && { 'posthorn-workspace': workspace }),
    ...(!isForm && { 'content-type': 'application/json' }),
  };
  const response = await fetch(path, { method, headers, body: isForm ? body : JSON.stringify(body) }).catch(() => {
    throw new Error('Posthorn cannot be reached. Try again.');
  });
  const answer = await response.json().catch(() => ({ message: 'Posthorn gave no usable answer. Try again.' }));
  if (!response.ok) throw Object.assign(new Error(answer.message), { issues: answer.issues });
  return answer;
};

// ids[] is a list, values.server an inner field.
const valuesOf = (data) => {
  const values = {};
  for (const [name, value] of data) {
    const [key, inner] = name.split('.');
    if (name.endsWith('[]')) (values[name.slice(0, -2)] ??= []).push(value);
    else if (inner) (values[key] ??= {})[inner] = value;
    else values[key] = value;
  }
  return values;
};

const issue = (path, message) => Object.assign(new Error(message), { issues: [{ path, message }] });

const groupOf = (field) => field.closest('fieldset') ?? field;

const unmark = (field) => {
  for (const id of field.getAttribute('aria-describedby')?.split(' ') ?? []) document.getElementById(id)?.remove();
  field.removeAttribute('aria-describedby');
  field.removeAttribute('aria-invalid');
};
document.addEventListener('input', ({ target }) => {
  unmark(groupOf(target));
  const said = target.form?.querySelector('[role=alert]');
  if (said && !target.form.querySelector('[id^=issue-]')) said.textContent = '';
});

// Each issue stands at its field; what has none is said below.
const mark = (form, { message, issues = [], before = '' }) => {
  const rest = [];
  const marked = [];
  for (const { path, message, provider } of issues) {
    const text = (provider ? provider + ': ' : '') + message;
    const field = [...form.elements].find(
      ({ name, dataset }) => name === path || (dataset.covers && new RegExp(dataset.covers).test(path)),
    );
    if (!field || field.type === 'hidden') {
      rest.push(text);
      continue;
    }
    const note = document.createElement('p');
    note.className = 'error';
    note.id = 'issue-' + marked.push(field);
    note.textContent = text;
    if (field.tagName === 'FIELDSET') field.append(note);
    else {
      field.closest('label').after(note);
      field.setAttribute('aria-invalid', 'true');
    }
    field.setAttribute('aria-describedby', ((field.getAttribute('aria-describedby') ?? '') + ' ' + note.id).trim());
  }
  const [first] = marked;
  const said = first ? ['Not done: see the marked fields.', ...rest].join(' ') : message;
  form.querySelector('[role=alert]').textContent = before + said;
  if (first) (first.querySelector('input') ?? first).focus();
};

const mustChoose = (form) => {
  for (const group of form.querySelectorAll('[data-least]')) {
    if (!group.querySelector(':checked')) throw issue('ids', group.dataset.least);
  }
};

document.addEventListener('submit', async (event) => {
  const form = event.target;
  if (!form.dataset.api) return;
  event.preventDefault();
  if (form.ariaBusy === 'true') return;
  const data = new FormData(form, event.submitter);
  const [method, path] = form.dataset.api.split(' ');
  form.ariaBusy = 'true';
  for (const field of form.elements) unmark(field);
  form.querySelector('[role=alert]').textContent = '';
  try {
    mustChoose(form);
    const answer = method === 'compose' ? await compose(form, data) : await ask(method, path, valuesOf(data));
    const shown = form.querySelector('output');
    if (shown) {
      shown.textContent = answer.token || answer.url;
      shown.hidden = false;
      form.ariaBusy = 'false';
      return;
    }
    const next = answer.next || form.dataset.next;
    // A path with a fragment, gone to again, would load nothing.
    if (next) location.assign(next);
    else location.reload();
  } catch (error) {
    form.ariaBusy = 'false';
    mark(form, error);
  }
});

// After a step back the page is as it was left.
addEventListener('pageshow', () => {
  for (const form of document.forms) form.ariaBusy = 'false';
});

const localise = (root) => {
  for (const time of root.querySelectorAll('time')) {
    time.title = time.textContent;
    time.textContent = new Date(time.dateTime).toLocaleString([], { dateStyle: 'medium', timeStyle: 'short' });
  }
};
localise(document);

// What is marked as live is read again, but for the part somebody is in.
const renew = async () => {
  if (!document.querySelector('[data-live]')) return;
  const text = await (await fetch(location.href)).text();
  const fresh = new DOMParser().parseFromString(text, 'text/html');
  localise(fresh);
  for (const old of document.querySelectorAll('[data-live]')) {
    const next = fresh.getElementById(old.id);
    if (next && !old.contains(document.activeElement)) old.replaceWith(next);
  }
};

const toasts = document.querySelector('.toasts');
if (toasts) {
  const toast = (href, text) => {
    const link = document.createElement('a');
    link.className = 'toast';
    link.href = href;
    link.textContent = text + ' — look at it';
    link.addEventListener('click', renew);
    toasts.append(link);
    setTimeout(() => link.remove(), 20_000);
  };
  let soon;
  const renewSoon = () => {
    clearTimeout(soon);
    soon = setTimeout(renew, 200);
  };
  const news = new EventSource('/api/app/events?workspace=' + workspace);
  news.addEventListener('approval', (event) => {
    const { id, text } = JSON.parse(event.data);
    if (text) toast('/approvals/' + encodeURIComponent(id), text);
  });
  news.addEventListener('post', (event) => {
    const { id, text } = JSON.parse(event.data);
    if (text) toast('/posts#' + encodeURIComponent(id), text);
    renewSoon();
  });
  news.addEventListener('resync', renewSoon);
}
${composeScript}`.trimStart();

const version = createHash('sha256').update(js).digest('base64url').slice(0, 8);

export const script = `/assets/posthorn.js?v=${version}`;

export const scriptRoutes = (): Router =>
  Router().get('/assets/posthorn.js', (_req, res) => {
    res.setHeader('cache-control', 'public, max-age=31536000, immutable');
    res.type('js').send(js);
  });
