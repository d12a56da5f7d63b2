import { useState } from 'react';
import { useZone } from '#web/base/session.ts';
import { instantOf } from '#web/base/time.ts';
import { draftType } from './drafts-tray.tsx';
import type { Item } from './use-items.ts';
import { isPast, type Moves, showPassed } from './use-moves.ts';

/** MIME type of a dragged card; its data is the post's id. */
const postType = 'application/x-posthorn-post';

interface Place {
  x: number;
  y: number;
  /** Wall time of the slot under the pointer. */
  wall: string;
}

export interface Drag {
  /** The dragged card. */
  id: string | undefined;
  place: Place | undefined;
  /** For a card. */
  sourceProps: (item: Item) => React.HTMLAttributes<HTMLElement>;
  /** For the element around all `[data-slot]`. */
  areaProps: React.HTMLAttributes<HTMLElement>;
}

/**
 * Cards and drafts of the tray can be dropped on any `[data-slot]`. `onFold` opens a folded band, `[data-fold]`, under
 * the pointer, and `onEnd` is called when the drag is over.
 */
export const useDrag = ({
  items,
  moves,
  isMonth,
  onDraft,
  onFold,
  onEnd,
}: {
  items: readonly Item[];
  moves: Moves;
  isMonth: boolean;
  onDraft: (id: string, at: string) => void;
  onFold?: (from: number) => void;
  onEnd?: () => void;
}): Drag => {
  const zone = useZone();
  const [id, setId] = useState<string>();
  const [place, setPlace] = useState<Place>();
  const end = () => {
    setId(undefined);
    setPlace(undefined);
    onEnd?.();
  };
  /** In the month a post keeps its time of day. */
  const wallOf = (slot: string) => {
    const item = isMonth ? items.find(({ post }) => post.id === id) : undefined;
    return item ? `${slot.slice(0, 10)} ${item.wall.slice(11)}` : slot;
  };
  return {
    id,
    place,
    sourceProps: ({ post, isMovable }) => ({
      draggable: isMovable,
      onDragStart: ({ dataTransfer }) => {
        dataTransfer.effectAllowed = 'move';
        dataTransfer.setData(postType, post.id);
        // Chrome cancels a drag whose source changes during this event.
        setTimeout(() => setId(post.id));
      },
      onDragEnd: end,
    }),
    areaProps: {
      onDragOver: (event) => {
        const { types } = event.dataTransfer;
        if (!types.includes(postType) && !types.includes(draftType)) return;
        const target = event.target as HTMLElement;
        const fold = target.closest<HTMLElement>('[data-fold]')?.dataset.fold;
        if (fold !== undefined) onFold?.(Number(fold));
        const slot = target.closest<HTMLElement>('[data-slot]')?.dataset.slot;
        if (slot === undefined) return setPlace(undefined);
        event.preventDefault();
        setPlace({ x: event.clientX, y: event.clientY, wall: wallOf(slot) });
      },
      onDragLeave: ({ currentTarget, relatedTarget }) => {
        if (!currentTarget.contains(relatedTarget as Node | null)) setPlace(undefined);
      },
      onDrop: (event) => {
        const slot = (event.target as HTMLElement).closest<HTMLElement>('[data-slot]')?.dataset.slot;
        if (slot === undefined) return;
        event.preventDefault();
        const [postId, draftId] = [event.dataTransfer.getData(postType), event.dataTransfer.getData(draftType)];
        const item = items.find(({ post }) => post.id === postId);
        const at = instantOf(wallOf(slot), zone);
        end();
        if (item && Date.parse(at) !== Date.parse(item.at)) void moves.move(item.post, at);
        if (draftId === '') return;
        if (isPast(at)) showPassed();
        else onDraft(draftId, at);
      },
    },
  };
};
