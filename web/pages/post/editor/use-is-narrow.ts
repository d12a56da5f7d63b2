import { useMediaQuery } from '@mantine/hooks';
import { useEditor } from './use-editor.ts';

/** The header has no room for Publish now, so the panel of the arrow has it; a failed post has no other main button. */
export const useIsNarrow = () => {
  const { save } = useEditor();
  const isSmall = useMediaQuery('(max-width: 79.99em)', matchMedia('(max-width: 79.99em)').matches);
  return isSmall && save.base?.status !== 'Failed';
};
