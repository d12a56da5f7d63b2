import type { RequestHandler } from 'express';
import { html } from './html.ts';
import { cardPage, sendPage } from './layout.ts';

/** A person who followed a wrong address gets a page; programs, and all of /api, get the error shape. */
export const missingPage: RequestHandler = (req, res, next) => {
  const wantsPage = req.method === 'GET' && !/^\/(api|mcp|auth|\.well-known)(\/|$)/.test(req.path);
  if (!wantsPage || req.accepts(['json', 'html']) !== 'html') return next();
  const body = html`<p>There is nothing at this address. It may have been deleted, or the link is incomplete.</p>
<p><a href="/">Go to the start page</a></p>`;
  sendPage(res, cardPage({ title: 'Not found', body }), 404);
};
