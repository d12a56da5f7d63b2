import { useMediaQuery } from '@mantine/hooks';

/** Below 1024 px, tablets too: bottom bar instead of sidebar, sheets instead of rails. Beside both a page has no room. */
export const usePhone = () => useMediaQuery('(max-width: 63.99em)', matchMedia('(max-width: 63.99em)').matches);
