import { Smile } from 'lucide-react';
import { lazy, Suspense } from 'react';
import { InsertPopover } from './insert-popover.tsx';

/** Loaded on first opening, because the emoji data is as large as the editor. */
const EmojiPicker = lazy(() => import('./emoji-picker.tsx'));

/** Inserts into the text field with this id. */
export const EmojiButton = ({ field }: { field: string }) => (
  <InsertPopover field={field} label="Emoji" icon={Smile} padding={8}>
    {(insert) => (
      <Suspense fallback={<div style={{ width: 304, height: 320 }} aria-busy="true" />}>
        <EmojiPicker onChoose={insert} />
      </Suspense>
    )}
  </InsertPopover>
);
