import { app } from '#web/api.ts';
import { showFault } from '#web/parts/toasts.tsx';
import { notices } from './notices.ts';

/**
 * For a change that opens another workspace. The session may show that one before this page is gone, on a slow machine
 * for a while; no notice is needed then, since the person switched here.
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

/** Always reloads, so that no data of the old workspace stays in memory. `stay`: on the same page. */
export const openWorkspace = async (id: string, { stay = false } = {}) => {
  try {
    await switchBy(() => app.openWorkspace({ id }));
    if (stay) location.reload();
    else location.assign('/');
  } catch (error) {
    showFault(error);
  }
};
