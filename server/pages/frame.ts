import type { RequestHandler } from 'express';
import type { SessionRecord } from '#contracts/people';
import type { Role } from '#contracts/scopes';
import type { Caller } from '#server/context';
import { type Html, html, type Part } from './html.ts';
import { widePage } from './layout.ts';

/** Who looks at a page of the app, and where. */
export interface Here {
  readonly caller: Caller;
  readonly session: SessionRecord;
  /** Outside production: networks without credentials are sandboxes. */
  readonly hasSandbox: boolean;
}

/** A path of the app: somebody is signed in and in a workspace, and what a rule refuses is told on a page. */
export type ServePage = (
  work: (
    here: Here,
    req: Parameters<RequestHandler<Record<string, string>>>[0],
    res: Parameters<RequestHandler>[1],
  ) => Promise<void>,
) => RequestHandler<Record<string, string>>;

const places = ({ hasSandbox }: Here) => [
  { href: '/', text: 'Requests' },
  { href: '/posts', text: 'Posts' },
  { href: '/accounts', text: 'Accounts' },
  ...(hasSandbox ? [{ href: '/sandbox', text: 'Sandbox' }] : []),
  { href: '/settings', text: 'Settings' },
  { href: '/docs', text: 'API reference' },
];

export const page = (here: Here, path: string, title: string, body: Part): Html =>
  widePage({
    title,
    workspaceId: here.caller.workspaceId,
    links: places(here).map((link) => ({ ...link, current: link.href === path })),
    aside: html`<span class="faint">${here.session.workspace?.name} · ${here.session.user.email}</span>
<form data-api="POST /api/auth/sign-out" data-next="/sign-in"><button class="quiet">Sign out</button><span role="alert"></span></form>`,
    body,
  });

/** Something was refused: why, and the ways on. */
export const refusalPage = (
  here: Here,
  path: string,
  title: string,
  message: string,
  ways: readonly { readonly href: string; readonly text: string }[] = [{ href: '/', text: 'To the start page' }],
) =>
  page(
    here,
    path,
    title,
    html`<p>${message}</p>
<div class="actions">${ways.map(({ href, text }, index) => html`<a class="button${index > 0 && ' quiet'}" href="${href}">${text}</a>`)}</div>`,
  );

export const isOneOf = ({ caller }: Here, roles: readonly Role[]) => roles.includes(caller.role);

export const problem = html`<p class="error" role="alert"></p>`;

/** `2026-11-15T09:30:00.123456Z` → `2026-11-15 09:30 UTC`; the script shows it in the zone of the browser. */
export const moment = (instant: string) =>
  html`<time datetime="${instant}">${instant.slice(0, 10)} ${instant.slice(11, 16)} UTC</time>`;

export const excerpt = (text: string) => (text.length > 200 ? `${text.slice(0, 200)}…` : text);

/** `anna` → `@anna`; where people have no handle it is their name. */
export const shownHandle = ({ handle, name }: { readonly handle: string; readonly name: string }) =>
  handle === name || /^@|\s/.test(handle) ? handle : `@${handle}`;

/** What cannot be undone takes a second click. */
export const confirmed = (what: string, warning: string, form: Html) =>
  html`<details class="confirm"><summary class="button quiet">${what}</summary><p>${warning}</p>${form}</details>`;
