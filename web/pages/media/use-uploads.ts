import { useQueryClient } from '@tanstack/react-query';
import { useBlocker } from '@tanstack/react-router';
import { useCallback, useEffect, useRef, useState } from 'react';
import { app } from '#web/base/api.ts';
import { faultOf } from '#web/base/faults.ts';
import { keys } from '#web/base/queries.ts';

export interface Upload {
  id: number;
  name: string;
  bytes: number | undefined;
  /** From 0 to 1; undefined while the server fetches a URL. */
  share: number | undefined;
  state: 'waiting' | 'sending' | 'done' | 'failed';
  fault?: { message: string; requestId: string | undefined };
}

/** More uploads would only share the same bandwidth. */
const maxParallel = 2;
const doneShownMs = 2500;

/** Upload queue. Failed uploads stay until they are dismissed or retried. */
export const useUploads = () => {
  const client = useQueryClient();
  const [uploads, setUploads] = useState<readonly Upload[]>([]);
  const jobs = useRef(new Map<number, Parameters<typeof app.uploadMedia>[0]>());
  const queue = useRef<number[]>([]);
  const running = useRef(0);
  const lastId = useRef(0);
  const controller = useRef(new AbortController());

  useEffect(() => {
    controller.current = new AbortController();
    return () => controller.current.abort();
  }, []);

  const isUploading = uploads.some(({ state }) => state === 'waiting' || state === 'sending');
  useBlocker({
    disabled: !isUploading,
    enableBeforeUnload: isUploading,
    shouldBlockFn: ({ current, next }) =>
      current.pathname !== next.pathname &&
      !window.confirm('Files are still being uploaded. Leave this page, and stop the uploads?'),
  });

  const change = useCallback((id: number, to: Partial<Upload>) => {
    setUploads((list) => list.map((one) => (one.id === id ? { ...one, ...to } : one)));
  }, []);
  const dismiss = useCallback((id: number) => {
    jobs.current.delete(id);
    setUploads((list) => list.filter((one) => one.id !== id));
  }, []);

  const next = useCallback(async () => {
    if (running.current >= maxParallel) return;
    const id = queue.current.shift();
    const job = id === undefined ? undefined : jobs.current.get(id);
    if (id === undefined || job === undefined) return;
    running.current++;
    change(id, { state: 'sending' });
    try {
      await app.uploadMedia(job, {
        signal: controller.current.signal,
        onProgress: ({ sentBytes, totalBytes }) => change(id, { share: totalBytes > 0 ? sentBytes / totalBytes : 0 }),
      });
      change(id, { state: 'done', share: 1 });
      setTimeout(() => dismiss(id), doneShownMs);
      await client.invalidateQueries({ queryKey: keys.media });
    } catch (error) {
      const { message, requestId } = faultOf(error);
      change(id, { state: 'failed', fault: { message, requestId } });
    } finally {
      running.current--;
      void next();
    }
  }, [client, change, dismiss]);

  const add = useCallback(
    (entries: readonly { name: string; bytes?: number; input: Parameters<typeof app.uploadMedia>[0] }[]) => {
      const newUploads = entries.map(({ name, bytes, input }): Upload => {
        const id = ++lastId.current;
        jobs.current.set(id, input);
        queue.current.push(id);
        return { id, name, bytes, share: 'file' in input ? 0 : undefined, state: 'waiting' };
      });
      setUploads((list) => [...list, ...newUploads]);
      for (let free = running.current; free < maxParallel; free++) void next();
    },
    [next],
  );

  return {
    uploads,
    addFiles: useCallback(
      (files: Iterable<File>) =>
        add([...files].map((file) => ({ name: file.name || 'Pasted image', bytes: file.size, input: { file } }))),
      [add],
    ),
    addUrl: useCallback((url: string) => add([{ name: url, input: { url } }]), [add]),
    again: (id: number) => {
      change(id, { state: 'waiting' });
      queue.current.push(id);
      void next();
    },
    dismiss,
  };
};
