import { closeToast, toastIdOf } from '#web/parts/toasts.tsx';

const watched = new Map<string, number>();

/** While a person watches a post go out, no other message says the same. Returns the end of it. */
export const watchPost = (id: string) => {
  watched.set(id, (watched.get(id) ?? 0) + 1);
  // It may have gone out before the board was there.
  closeToast(toastIdOf('post', id), 'elsewhere');
  return () => {
    const left = (watched.get(id) ?? 1) - 1;
    if (left === 0) watched.delete(id);
    else watched.set(id, left);
  };
};

export const isWatched = (id: string) => watched.has(id);
