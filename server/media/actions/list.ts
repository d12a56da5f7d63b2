import type { mediaActions } from '#contracts/media';
import type { Handler } from '#server/context';
import type { MediaLibrary } from '#server/media/library';

export const listMedia =
  ({ library }: { library: MediaLibrary }): Handler<(typeof mediaActions)['media.list']> =>
  ({ caller, input }) =>
    library.list(caller, input);
