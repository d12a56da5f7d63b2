import { useEffect } from 'react';

/** Hides the bottom bar of the shell on pages with their own, such as the editor. */
export const useOwnBottomBar = () => {
  useEffect(() => {
    document.documentElement.dataset.ownBar = '';
    return () => {
      delete document.documentElement.dataset.ownBar;
    };
  }, []);
};
