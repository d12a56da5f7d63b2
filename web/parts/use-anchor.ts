import { useEffect } from 'react';

/** Scrolls to the fragment of the address once the content above it has loaded. */
export const useAnchor = (anchor: string, isThere: boolean) => {
  useEffect(() => {
    if (isThere && location.hash === `#${anchor}`) document.getElementById(anchor)?.scrollIntoView();
  }, [anchor, isThere]);
};
