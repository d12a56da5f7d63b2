import type { Seal } from '#server/secrets/seal';
import type { AnnouncePause } from './pausing.ts';
import { newSecret, secretPlace } from './signing.ts';
import type { WebhookStore } from './store.ts';

const reason = 'Its signing secret was lost with the encryption key of this server.';

/**
 * A webhook whose secret no key opens. The receiver would refuse what a new secret signs, so it is paused until a person has
 * taken a new one there; rotating needs a secret that opens, and finds one here.
 */
export const createLostSecretRule =
  ({ store, announcePause, seal }: { store: WebhookStore; announcePause: AnnouncePause; seal: Seal }) =>
  async (id: string, lost: string) => {
    const webhook = await store.replaceLostSecret(id, lost, seal.seal(newSecret(), secretPlace(id)), reason);
    if (webhook) {
      await announcePause(webhook, reason, 'Rotate the secret, give the new one to the receiver, then resume it.');
    }
  };
