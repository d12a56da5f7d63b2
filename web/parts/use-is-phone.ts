import { useMediaQuery } from '@mantine/hooks';

/** Below 820 px: bottom bar instead of sidebar, drawers instead of rails. */
export const useIsPhone = () => useMediaQuery('(max-width: 51.24em)', matchMedia('(max-width: 51.24em)').matches);
