export interface Progress {
  /** Bytes that are on their way */
  sent: number;
  /** All bytes of the file and of the fields beside it */
  total: number;
}

type Send = (url: string, init: RequestInit) => Promise<Response>;
type OnProgress = (progress: Progress) => void;

/** Sends a form and tells how far it is. Pages have XMLHttpRequest for that; elsewhere fetch takes a stream. */
export const sendForm = (url: string, init: RequestInit, form: FormData, onProgress: OnProgress, send: Send) =>
  'XMLHttpRequest' in globalThis ? byXhr(url, init, form, onProgress) : asStream(url, init, form, onProgress, send);

const byXhr = (url: string, { method, headers, signal }: RequestInit, form: FormData, onProgress: OnProgress) =>
  new Promise<Response>((resolve, reject) => {
    const xhr = new XMLHttpRequest();
    const stop = () => xhr.abort();
    xhr.open(method ?? 'POST', url);
    for (const [name, value] of new Headers(headers)) xhr.setRequestHeader(name, value);
    xhr.upload.onprogress = ({ loaded: sent, total }) => onProgress({ sent, total });
    xhr.onload = () => resolve(new Response(xhr.responseText, { status: xhr.status, headers: headersOf(xhr) }));
    xhr.onerror = () => reject(new TypeError('Failed to fetch'));
    xhr.onabort = () => reject(signal?.reason);
    xhr.onloadend = () => signal?.removeEventListener('abort', stop);
    if (signal?.aborted) return reject(signal.reason);
    signal?.addEventListener('abort', stop);
    xhr.send(form);
  });

const headersOf = (xhr: XMLHttpRequest) => {
  const lines = xhr.getAllResponseHeaders().trim().split(/\r?\n/).filter(Boolean);
  return new Headers(lines.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]));
};

const asStream = (url: string, init: RequestInit, form: FormData, onProgress: OnProgress, send: Send) => {
  const encoded = new Response(form);
  const headers = new Headers(init.headers);
  headers.set('content-type', encoded.headers.get('content-type') ?? '');
  const total = [...form.values()].reduce(
    (bytes, value) => bytes + (typeof value === 'string' ? value.length : value.size),
    0,
  );
  let sent = 0;
  const count = new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) => {
      // What stands between the parts of the form is sent too, and belongs to none of them.
      sent = Math.min(sent + chunk.length, total);
      onProgress({ sent, total });
      controller.enqueue(chunk);
    },
  });
  const body = encoded.body?.pipeThrough(count);
  // fetch wants to know that it cannot read the answer before the body is sent.
  return send(url, { ...init, headers, body, duplex: 'half' } as RequestInit);
};
