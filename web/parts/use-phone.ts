import { useMediaQuery } from '@mantine/hooks';

/** Below 768 px: bottom bar instead of sidebar, sheets instead of rails. */
export const usePhone = () => useMediaQuery('(max-width: 47.99em)', matchMedia('(max-width: 47.99em)').matches);
