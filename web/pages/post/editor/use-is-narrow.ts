import { useMediaQuery } from '@mantine/hooks';
import { useEditor } from './use-editor.ts';

/** A narrow header leaves Publish now to the schedule panel, unless the post failed: then it is the main button. */
export const useIsNarrow = () => {
  const { save } = useEditor();
  const isSmall = useMediaQuery('(max-width: 79.99em)', matchMedia('(max-width: 79.99em)').matches);
  return isSmall && save.base?.status !== 'Failed';
};
