import type { uiActions } from '#contracts/ui';
import type { OpenPage } from '#server/agents/ui/open-page';
import type { Handler } from '#server/base/context';

export const getOpenPage =
  ({ openPage }: { openPage: OpenPage }): Handler<(typeof uiActions)['ui.getContext']> =>
  ({ caller }) =>
    openPage.get(caller);
