import { app } from '#web/api.ts';
import { showFault } from '#web/parts/toasts.tsx';

/** Always reloads, so that no data of the old workspace stays in memory. `stay`: on the same page. */
export const openWorkspace = async (id: string, { stay = false } = {}) => {
  try {
    await app.openWorkspace({ id });
    if (stay) location.reload();
    else location.assign('/');
  } catch (error) {
    showFault(error);
  }
};
