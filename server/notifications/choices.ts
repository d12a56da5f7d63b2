import type { Push } from '#server/messages/push';
import type { Messages } from '#server/messages/queue';
import type { SignedIn } from '#server/signed-in';
import type { Choices, ChoicesChange, NotificationStore } from './store.ts';

/** Until somebody chooses. Push messages go only to browsers that were asked for them. */
export const proposed: Choices = {
  mail: ['posts', 'accounts', 'webhooks', 'personal'],
  push: ['requests', 'posts', 'accounts', 'webhooks', 'personal'],
  pushText: false,
};

export type NotificationChoices = ReturnType<typeof createChoices>;

/** What a person hears of outside the app, and where. */
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
    const { mail, push: pushed, pushText } = (await store.choices(signedIn.userId)) ?? proposed;
    return {
      mail: [...mail],
      push: [...pushed],
      pushText,
      mailOffered: hasMail,
      pushKey: await push.publicKey(),
      browsers: await push.list(signedIn),
    };
  };

  return {
    read,

    change: async (signedIn: SignedIn, change: ChoicesChange) => {
      await store.changeChoices(signedIn.userId, change, proposed);
      return read(signedIn);
    },

    addBrowser: async (signedIn: SignedIn, subscription: Parameters<Push['add']>[1]) => {
      await push.add(signedIn, subscription);
      return read(signedIn);
    },

    removeBrowser: push.remove,
  };
};
