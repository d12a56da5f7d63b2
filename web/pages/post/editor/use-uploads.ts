import { useRef, useState } from 'react';
import type { MediaItem } from '#generated/app-client';
import { app } from '#web/base/api.ts';
import { faultOf } from '#web/base/faults.ts';
import { showToast } from '#web/parts/toasts.tsx';
import { changeSide, type Side } from './draft.ts';
import type { Editor } from './use-editor.ts';

export interface Upload {
  readonly key: number;
  readonly itemKey: string;
  readonly name: string;
  /** Object URL, until the upload is done. */
  readonly url: string;
  readonly kind: MediaItem['kind'];
  /** 0 to 1. */
  readonly share: number;
}

export type Uploads = ReturnType<typeof useUploads>;

let lastKey = 0;

/** Uploads one after the other, so that files keep their order. */
export const useUploads = ({ edit, version, rememberMedia, trackUpload }: Editor) => {
  const [list, setList] = useState<readonly Upload[]>([]);
  const queue = useRef(Promise.resolve());
  const change = (key: number, share: number) =>
    setList((all) => all.map((one) => (one.key === key ? { ...one, share } : one)));

  const send = async (file: File, { key, itemKey, url, name }: Upload) => {
    try {
      const onProgress = ({ sentBytes, totalBytes }: { sentBytes: number; totalBytes: number }) =>
        change(key, totalBytes === 0 ? 0 : sentBytes / totalBytes);
      const item = await app.uploadMedia({ file }, { onProgress, filename: name });
      rememberMedia(item);
      edit(changeSide(version, withMedia(itemKey, [item.id])));
    } catch (error) {
      showToast({ text: `${name} was not added. ${faultOf(error).message}`, tone: 'red', stays: true });
    } finally {
      setList((all) => all.filter((one) => one.key !== key));
      URL.revokeObjectURL(url);
    }
  };

  return {
    of: (itemKey: string) => list.filter((one) => one.itemKey === itemKey),
    add: (files: readonly File[], itemKey: string) => {
      const uploads = files.map((file): Upload => {
        return {
          key: ++lastKey,
          itemKey,
          name: nameOf(file),
          url: URL.createObjectURL(file),
          kind: kindOf(file),
          share: 0,
        };
      });
      setList((all) => [...all, ...uploads]);
      for (const [index, file] of files.entries()) {
        const upload = uploads[index];
        if (upload === undefined) continue;
        queue.current = queue.current.then(() => send(file, upload));
        trackUpload(queue.current);
      }
    },
  };
};

export const withMedia = (itemKey: string, ids: readonly string[]) => (side: Side) => ({
  ...side,
  items: side.items.map((item) =>
    item.key === itemKey ? { ...item, media: [...item.media, ...ids.filter((id) => !item.media.includes(id))] } : item,
  ),
});

const kindOf = ({ type }: File) =>
  type.startsWith('video/') ? 'Video' : type === 'application/pdf' ? 'Document' : 'Image';

/** Some systems include the folder in the name. */
const nameOf = ({ name }: File) => name.split(/[\\/]/).at(-1)?.slice(-80) || 'The file';
