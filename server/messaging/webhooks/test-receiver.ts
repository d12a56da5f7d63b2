import { Refusal } from '#server/base/errors';
import { createSandboxClient } from '#server/base/outbound/sandbox-client';
import type { WebhookRow } from './store.ts';

export type TestReceiver = ReturnType<typeof createTestReceiver>;

const pathOf = (webhookId: string) => `/sandbox/receiver/${webhookId}`;

/** A receiver that is part of the sandbox, because webhooks cannot reach a program on a laptop. */
export const createTestReceiver = ({
  baseUrl,
  production,
  ownUrl,
}: {
  baseUrl: string;
  production: boolean;
  ownUrl: () => string;
}) => {
  const client = createSandboxClient(ownUrl);
  return {
    mustExist: () => {
      if (production) throw new Refusal('Forbidden', 'There is no sandbox in production.');
    },
    /** Compares only the path, because BASE_URL may have changed since. */
    is: ({ id, url }: Pick<WebhookRow, 'id' | 'url'>) => !production && new URL(url).pathname.endsWith(pathOf(id)),
    urlOf: (webhookId: string) => baseUrl + pathOf(webhookId),
    /** The URL at which this process reaches it. */
    ownUrlOf: (webhookId: string) => ownUrl() + pathOf(webhookId),
    client,
    close: client.close,
  };
};
