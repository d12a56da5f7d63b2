import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { queries } from '#web/base/queries.ts';
import { PreviewPicker } from '#web/previews/preview-picker.tsx';
import { PreviewSkeleton } from './editor-skeleton.tsx';
import { useDraftPreviews } from './use-draft-previews.ts';
import { useEditor } from './use-editor.ts';

const previewId = 'editor-preview';

/** The preview of the open version, or of the network that was picked last. */
export const Previews = ({ accountIds }: { accountIds?: readonly string[] }) => {
  const { version, chosen } = useEditor();
  const { isPending } = useQuery(queries.limits);
  const entries = useDraftPreviews().filter(({ id }) => accountIds?.includes(id) ?? true);
  const [picked, setPicked] = useState<string>();
  useEffect(() => {
    if (version === undefined) return;
    setPicked(version);
    requestAnimationFrame(() => document.getElementById(previewId)?.scrollIntoView({ block: 'nearest' }));
  }, [version]);
  if (isPending && chosen.length > 0) return <PreviewSkeleton />;
  return (
    <PreviewPicker
      title="Preview"
      entries={entries}
      picked={picked}
      onPick={setPicked}
      ringed={version}
      frameId={accountIds === undefined ? previewId : undefined}
      hasRows={accountIds === undefined}
    />
  );
};
