import type { SignedIn } from '#server/base/signed-in';
import type { Messages } from '#server/messaging/messages/messages';
import type { Push } from '#server/messaging/messages/push';
import type { Choices, ChoicesChange, NotificationStore } from './store.ts';

/** Until somebody chooses. Push messages go only to browsers where the person switched them on. */
export const defaultChoices: Choices = {
  mail: ['posts', 'accounts', 'webhooks', 'personal'],
  push: ['requests', 'posts', 'accounts', 'webhooks', 'personal'],
  pushText: false,
};

export type NotificationChoices = ReturnType<typeof createChoices>;

/** What a person is notified of outside the app, and by which channel. */
export const createChoices = ({
  store,
  push,
  messages: { hasMail },
}: {
  store: NotificationStore;
  push: Push;
  messages: Messages;
}) => {
  const read = async (signedIn: SignedIn) => {
    const { mail, push: pushTopics, pushText } = (await store.choices(signedIn.userId)) ?? defaultChoices;
    return {
      mail: [...mail],
      push: [...pushTopics],
      pushText,
      mailOffered: hasMail,
      pushKey: await push.publicKey(),
      browsers: await push.list(signedIn),
    };
  };

  return {
    read,

    change: async (signedIn: SignedIn, change: ChoicesChange) => {
      await store.changeChoices(signedIn.userId, change, defaultChoices);
      return read(signedIn);
    },

    addBrowser: async (signedIn: SignedIn, subscription: Parameters<Push['add']>[1]) => {
      await push.add(signedIn, subscription);
      return read(signedIn);
    },

    removeBrowser: push.remove,
  };
};
