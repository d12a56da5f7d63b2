import { useMediaQuery } from '@mantine/hooks';

/** Below 1024 px, including tablets: bottom bar instead of sidebar, drawers instead of rails. */
export const useIsPhone = () => useMediaQuery('(max-width: 63.99em)', matchMedia('(max-width: 63.99em)').matches);
