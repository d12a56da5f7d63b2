import { useEffect } from 'react';

/** Goes to a part of the page that the address names, once what stands above it is there. */
export const useAnchor = (anchor: string, isThere: boolean) => {
  useEffect(() => {
    if (isThere && location.hash === `#${anchor}`) document.getElementById(anchor)?.scrollIntoView();
  }, [anchor, isThere]);
};
