import { useEffect, useRef, useState } from 'react';
import { workspaceOfTab } from '#web/base/api.ts';
import { saveFile } from '#web/parts/save-file.ts';

const newline = '\n'.charCodeAt(0);
const quote = '"'.charCodeAt(0);

/** Streams an export, counting rows; saves the file only when it is complete. */
export const useExport = () => {
  const [progress, setProgress] = useState<{ rows: number }>();
  const [fault, setFault] = useState<string>();
  const controller = useRef(new AbortController());
  useEffect(() => () => controller.current.abort(), []);

  const begin = async (query: Record<string, string>, name: string) => {
    controller.current = new AbortController();
    const { signal } = controller.current;
    setFault(undefined);
    setProgress({ rows: 0 });
    try {
      const workspace = workspaceOfTab();
      const params = new URLSearchParams({ ...query, ...(workspace && { workspace }) });
      // The generated client parses JSON; this is a stream.
      const answer = await fetch(`/api/app/export?${params}`, { signal });
      if (!answer.ok || answer.body === null) {
        setFault(((await answer.json()) as { message?: string }).message ?? 'Try again.');
        return;
      }
      const chunks: Uint8Array<ArrayBuffer>[] = [];
      const countRows = createRowCount(query.format === 'csv');
      const reader = answer.body.getReader();
      for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        chunks.push(value);
        setProgress({ rows: countRows(value) });
      }
      saveFile(new Blob(chunks, { type: answer.headers.get('content-type') ?? '' }), name);
    } catch {
      if (!signal.aborted)
        setFault('The connection broke before the file was complete, so it was not kept. Try again.');
    } finally {
      setProgress(undefined);
    }
  };

  return {
    progress,
    fault,
    begin: (...all: Parameters<typeof begin>) => void begin(...all),
    stop: () => controller.current.abort(),
  };
};

/** Counts rows. Quoted CSV fields may contain newlines; the first line is the header. */
const createRowCount = (isCsv: boolean) => {
  let rows = -1;
  let isQuoted = false;
  return (bytes: Uint8Array) => {
    for (const byte of bytes) {
      if (isCsv && byte === quote) isQuoted = !isQuoted;
      else if (byte === newline && !isQuoted) rows++;
    }
    return Math.max(0, rows);
  };
};
