import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { PostSummary, SelectedPost } from '#generated/app-client';
import { app } from '#web/base/api.ts';
import { isTyping } from '#web/parts/is-typing.ts';
import { showFault } from '#web/parts/toasts.tsx';
import type { Filter, Status } from './use-groups.ts';

const none: ReadonlyMap<string, SelectedPost> = new Map();

export type Selection = ReturnType<typeof useSelection>;

/** The selected posts, which may be on pages that are not loaded. `rows` are the posts on the page, in their order. */
export const useSelection = (rows: readonly PostSummary[], status: Status | undefined, filter: Filter) => {
  const [chosen, setChosen] = useState(none);
  const [isSelecting, setIsSelecting] = useState(false);
  const [isLoading, setIsLoading] = useState(false);
  const anchor = useRef<string>(undefined);
  /** Incremented on each user action, so that a late answer to an earlier click is ignored. */
  const clicks = useRef(0);
  const latest = useRef(rows);
  latest.current = rows;

  const clear = useCallback(() => {
    clicks.current++;
    setChosen(none);
    setIsSelecting(false);
    anchor.current = undefined;
  }, []);

  /** With `isRange` also the rows between this one and the last that was toggled. */
  const toggle = useCallback((id: string, isRange = false) => {
    clicks.current++;
    const shown = latest.current;
    const at = shown.findIndex((post) => post.id === id);
    const from = isRange ? shown.findIndex((post) => post.id === anchor.current) : -1;
    const affected = shown.slice(from < 0 ? at : Math.min(from, at), Math.max(from, at) + 1);
    anchor.current = id;
    setChosen((before) => {
      const next = new Map(before);
      const isOff = before.has(id) && !isRange;
      for (const post of affected) {
        if (isOff) next.delete(post.id);
        else next.set(post.id, post);
      }
      return next;
    });
  }, []);

  const selectAll = async () => {
    const click = ++clicks.current;
    setIsLoading(true);
    try {
      const { posts } = await app.selectPosts({ ...(status !== undefined && { status }), ...filter });
      if (click === clicks.current) setChosen(new Map(posts.map((post) => [post.id, post])));
    } catch (error) {
      showFault(error);
    } finally {
      setIsLoading(false);
    }
  };

  const isActive = chosen.size > 0 || isSelecting;
  useEffect(() => {
    if (!isActive) return;
    const press = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || event.defaultPrevented || isTyping(event)) return;
      if (document.querySelector('[role="dialog"], [role="menu"]') === null) clear();
    };
    window.addEventListener('keydown', press);
    return () => window.removeEventListener('keydown', press);
  }, [isActive, clear]);

  // A post on the page may have changed since it was selected.
  const posts = useMemo(() => {
    const current = new Map(rows.map((post) => [post.id, post]));
    return [...chosen.values()].map((post): SelectedPost => current.get(post.id) ?? post);
  }, [rows, chosen]);

  return {
    posts,
    has: (id: string) => chosen.has(id),
    isActive,
    isLoading,
    toggle,
    selectAll,
    clear,
    /** Shows the checkboxes before anything is selected, for touch. */
    begin: () => setIsSelecting(true),
  };
};

const longPressMs = 450;

/** A long press selects a row. While something is selected, a tap on a row toggles it instead of opening it. */
export const useTouchSelection = ({ isActive, toggle }: Pick<Selection, 'isActive' | 'toggle'>, canSelect: boolean) => {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const isHandled = useRef(false);
  const isTouch = useRef(false);
  const rowOf = (target: EventTarget) => (target as Element).closest<HTMLElement>('[data-row]')?.dataset.row;
  const cancel = () => clearTimeout(timer.current);
  if (!canSelect) return {};
  return {
    onPointerDown: ({ pointerType, target }: React.PointerEvent) => {
      cancel();
      isHandled.current = false;
      isTouch.current = pointerType === 'touch';
      const id = rowOf(target);
      if (!isTouch.current || id === undefined) return;
      timer.current = setTimeout(() => {
        isHandled.current = true;
        toggle(id);
      }, longPressMs);
    },
    onPointerMove: ({ movementX, movementY }: React.PointerEvent) => {
      if (Math.abs(movementX) + Math.abs(movementY) > 3) cancel();
    },
    onPointerUp: cancel,
    onPointerCancel: cancel,
    onContextMenu: (event: React.MouseEvent) => {
      if (isTouch.current && rowOf(event.target) !== undefined) event.preventDefault();
    },
    onClickCapture: (event: React.MouseEvent) => {
      const id = rowOf(event.target);
      const isControl = (event.target as Element).closest('button, input, [role="menu"]') !== null;
      const isTap = isTouch.current && isActive && id !== undefined && !isControl;
      if (!isHandled.current && !isTap) return;
      event.preventDefault();
      event.stopPropagation();
      if (!isHandled.current && id !== undefined) toggle(id);
      isHandled.current = false;
    },
  };
};
