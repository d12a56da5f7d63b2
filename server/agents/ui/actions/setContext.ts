import type { uiActions } from '#contracts/ui';
import type { Handler } from '#server/base/context';
import type { OpenPage } from '#server/agents/ui/open-page';

export const setOpenPage =
  ({ openPage }: { openPage: OpenPage }): Handler<(typeof uiActions)['ui.setContext']> =>
  ({ caller, input }) =>
    openPage.set(caller, input);
