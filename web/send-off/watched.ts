import { closeToast, toastIdOf } from '#web/parts/toasts.tsx';

const watched = new Map<string, number>();

/** Suppresses the toasts about a post while a person watches it go out. Returns a function that ends this. */
export const watchPost = (id: string) => {
  watched.set(id, (watched.get(id) ?? 0) + 1);
  // The post may have gone out before the board opened, so its toast may already be on screen.
  closeToast(toastIdOf('post', id), 'elsewhere');
  return () => {
    const left = (watched.get(id) ?? 1) - 1;
    if (left === 0) watched.delete(id);
    else watched.set(id, left);
  };
};

export const isWatched = (id: string) => watched.has(id);
