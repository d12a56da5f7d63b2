import { useBlocker } from '@tanstack/react-router';

/** Asks before the person leaves the page, or closes the tab, while the component is shown. */
export const useConfirmLeaving = (question: string) => {
  useBlocker({ shouldBlockFn: () => !window.confirm(question), enableBeforeUnload: true });
};
