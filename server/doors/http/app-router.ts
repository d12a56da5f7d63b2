import { type AppRouter, initContract } from '@ts-rest/core';
import type { Route } from '#contracts/define';

const { otherResponse } = initContract();

/** Declared routes as ts-rest registers them: what comes in is checked, and what goes out has its content type. */
export const toAppRouter = (routes: Readonly<Record<string, Route>>): AppRouter =>
  Object.fromEntries(
    Object.entries(routes).map(([name, { method, path, params, query, body, responses }]) => [
      name,
      {
        method,
        path,
        ...(params && { pathParams: params }),
        ...(query && { query }),
        ...(body && { body }),
        responses: Object.fromEntries(
          Object.entries(responses).map(([status, { contentType, body: answer }]) => [
            status,
            contentType === 'application/json' ? answer : otherResponse({ contentType, body: answer }),
          ]),
        ),
      },
    ]),
  ) as AppRouter;
