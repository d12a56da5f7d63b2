export interface Progress {
  /** Bytes sent so far */
  sent: number;
  /** Total bytes of the file and the other fields */
  total: number;
}

type Send = (url: string, init: RequestInit) => Promise<Response>;
type OnProgress = (progress: Progress) => void;

/** Sends a form or a file and reports progress: with XMLHttpRequest in browsers, with a stream elsewhere. */
export const sendFile = (url: string, init: RequestInit, body: FormData | Blob, onProgress: OnProgress, send: Send) =>
  'XMLHttpRequest' in globalThis
    ? sendByXhr(url, init, body, onProgress)
    : sendAsStream(url, init, body, onProgress, send);

const sendByXhr = (
  url: string,
  { method, headers, signal }: RequestInit,
  body: FormData | Blob,
  onProgress: OnProgress,
) =>
  new Promise<Response>((resolve, reject) => {
    const xhr = new XMLHttpRequest();
    const stop = () => xhr.abort();
    xhr.open(method ?? 'POST', url);
    for (const [name, value] of new Headers(headers)) xhr.setRequestHeader(name, value);
    xhr.upload.onprogress = ({ loaded: sent, total }) => onProgress({ sent, total });
    // A Response of status 204 must have no body at all.
    xhr.onload = () => resolve(new Response(xhr.responseText || null, { status: xhr.status, headers: headersOf(xhr) }));
    xhr.onerror = () => reject(new TypeError('Failed to fetch'));
    xhr.onabort = () => reject(signal?.reason);
    xhr.onloadend = () => signal?.removeEventListener('abort', stop);
    if (signal?.aborted) return reject(signal.reason);
    signal?.addEventListener('abort', stop);
    xhr.send(body);
  });

const headersOf = (xhr: XMLHttpRequest) => {
  const lines = xhr.getAllResponseHeaders().trim().split(/\r?\n/).filter(Boolean);
  return new Headers(lines.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]));
};

const sendAsStream = (url: string, init: RequestInit, file: FormData | Blob, onProgress: OnProgress, send: Send) => {
  const encoded = new Response(file);
  const headers = new Headers(init.headers);
  if (file instanceof FormData) headers.set('content-type', encoded.headers.get('content-type') ?? '');
  const total = sizeOf(file);
  let sent = 0;
  const count = new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) => {
      // Capped, because the boundaries between the parts are sent too, but not part of the total.
      sent = Math.min(sent + chunk.length, total);
      onProgress({ sent, total });
      controller.enqueue(chunk);
    },
  });
  const body = encoded.body?.pipeThrough(count);
  // fetch requires `duplex: 'half'` for a streamed body.
  return send(url, { ...init, headers, body, duplex: 'half' } as RequestInit);
};

const sizeOf = (file: FormData | Blob): number =>
  file instanceof Blob
    ? file.size
    : [...file.values()].reduce((sum, value) => sum + (typeof value === 'string' ? value.length : value.size), 0);
