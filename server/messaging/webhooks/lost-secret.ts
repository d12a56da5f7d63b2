import type { Seal } from '#server/base/secrets/seal';
import type { AnnouncePause } from './announce-pause.ts';
import { newSecret, secretPlace } from './signing.ts';
import type { WebhookStore } from './store.ts';

const reason = 'Its signing secret was lost with the encryption key of this server.';

/**
 * For a webhook whose secret cannot be decrypted. Its receiver would refuse signatures of a new secret, so it is paused until
 * a person installs one there. The new secret stored here only makes rotation possible, which needs a readable one.
 */
export const createLostSecretRule =
  ({ store, announcePause, seal }: { store: WebhookStore; announcePause: AnnouncePause; seal: Seal }) =>
  async (id: string, lost: string) => {
    const webhook = await store.replaceLostSecret(id, lost, seal.seal(newSecret(), secretPlace(id)), reason);
    if (webhook) {
      await announcePause(webhook, reason, 'Rotate the secret, give the new one to the receiver, then resume it.');
    }
  };
