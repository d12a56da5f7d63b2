import type { mediaActions } from '#contracts/media';
import type { Handler } from '#server/base/context';
import type { MediaLibrary } from '#server/media/library';
import type { UploadAddresses } from '#server/media/upload-addresses';

export const listMedia =
  ({
    library,
    uploadAddresses,
  }: {
    library: MediaLibrary;
    uploadAddresses: UploadAddresses;
  }): Handler<(typeof mediaActions)['media.list']> =>
  async ({ caller, input }) => {
    const upload = uploadAddresses.offer(caller);
    return { ...(await library.list(caller, input)), ...(upload && { upload }) };
  };
