import { app } from '#web/base/api.ts';
import { formDrafts } from '#web/base/form-drafts.ts';
import { notices } from '#web/base/notices.ts';
import { showFault } from '#web/parts/toasts.tsx';

/**
 * Runs a change that opens another workspace. The session may show the new one before this page has unloaded;
 * `isSwitching` hides the notice about it.
 */
export const switchBy = async <Result>(change: () => Promise<Result>) => {
  notices.set({ isSwitching: true });
  try {
    return await change();
  } catch (error) {
    notices.set({ isSwitching: false });
    throw error;
  }
};

/**
 * Always reloads, so that no data of the old workspace stays in memory. `stay` reloads the same page and keeps its form
 * input.
 */
export const openWorkspace = async (id: string, { stay = false } = {}) => {
  try {
    await switchBy(() => app.openWorkspace({ id }));
    if (!stay) return location.assign('/');
    formDrafts.store();
    location.reload();
  } catch (error) {
    showFault(error);
  }
};
