import { expect } from 'vitest';
import type { EventType } from '#contracts/events';
import { jsonOf } from '#server/base/json/json-text';
import type { Service } from './service.ts';

/** A new workspace with its signed-in owner, so that webhooks of one test do not affect others. */
export const newTeam = async (service: Service) => {
  const { workspaceId, userId, email } = await service.addWorkspace();
  let browser = service.browser();
  await browser.signIn(email);

  const must = async (answer: ReturnType<typeof browser.get>) => {
    const { status, body } = await answer;
    expect({ status, body }).toMatchObject({ status: 200 });
    return body;
  };

  const team = {
    workspaceId,
    userId,
    email,
    browser: () => browser,
    /** After a session has expired. */
    signInAgain: async () => {
      browser = service.browser();
      await browser.signIn(email);
    },

    addWebhook: async (url: string, events: EventType[] = ['post.published']) => {
      const { id, secret } = await must(browser.post('/api/webhooks', { url, events }));
      const path = `/api/webhooks/${id}`;
      return {
        id: id as string,
        secret: secret as string,
        get: () => must(browser.get(path)),
        change: (change: object) => must(browser.patch(path, change)),
        test: () => must(browser.post(`${path}/test`)),
        resume: () => must(browser.post(`${path}/resume`)),
        rotate: async () => (await must(browser.post(`${path}/rotate-secret`))).secret as string,
        log: async () => (await must(browser.get(`${path}/deliveries`))).deliveries,
        resend: (deliveryId: string) => must(browser.post(`${path}/deliveries/${deliveryId}/resend`)),
        remove: () => must(browser.delete(path)),
      };
    },

    /** Writes an event as publishing does: with its deliveries, in one transaction. */
    happen: (type: EventType = 'post.published', data: unknown = { post: { id: 'post_1' } }) =>
      service.database.transaction(() => service.posthorn.events.write([{ workspaceId, type, data: jsonOf(data) }])),
  };
  return team;
};

export type Team = Awaited<ReturnType<typeof newTeam>>;
export type TeamWebhook = Awaited<ReturnType<Team['addWebhook']>>;
