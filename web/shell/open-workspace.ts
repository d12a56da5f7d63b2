import { app } from '#web/api.ts';
import { faultOf } from '#web/faults.ts';
import { showToast } from '#web/parts/toasts.tsx';

/**
 * Everything of the old workspace is forgotten with the page. Begins at home, or reads the page again that stands there.
 */
export const openWorkspace = async (id: string, { stay = false } = {}) => {
  try {
    await app.openWorkspace({ id });
    if (stay) location.reload();
    else location.assign('/');
  } catch (error) {
    showToast({ tone: 'red', text: faultOf(error).message });
  }
};
