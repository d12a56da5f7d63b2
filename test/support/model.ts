import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One step of a model. */
export interface Step {
  text?: string;
  calls?: { name: string; input: unknown /** Sent instead of the input: invalid JSON. */; raw?: string }[];
  /** Streams text and inputs in pieces of this many characters. OpenAI format only. */
  pieceLength?: number;
  /** An error answer instead. */
  status?: number;
  /** Closes the connection without an answer. */
  drops?: boolean;
  /** Sends its text and then nothing more. */
  hangs?: boolean;
  /** `content_filter`, `refusal` */
  reason?: string;
}

export interface ModelRequest {
  path: string;
  headers: IncomingMessage['headers'];
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts on what came, whatever it is
  body: any;
}

export type ModelStub = Awaited<ReturnType<typeof startModel>>;

/** A local language model with the API of OpenAI and that of Anthropic. */
export const startModel = async () => {
  const requests: ModelRequest[] = [];
  let steps: (Step | ((request: ModelRequest) => Step | Promise<Step>))[] = [];
  let forEver: Step | undefined;
  let aborted = 0;
  // Connections are never closed here: a request on one that was about to close would fail.
  const server = createServer({ keepAliveTimeout: 0 }, async (req, res) => {
    res.once('close', () => {
      if (!res.writableFinished) aborted++;
    });
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk as Buffer);
    const request = { path: req.url ?? '', headers: req.headers, body: JSON.parse(Buffer.concat(chunks).toString()) };
    requests.push(request);
    const next = steps.shift() ?? forEver ?? { text: 'Nothing to say.' };
    const step = typeof next === 'function' ? await next(request) : next;
    if (step.drops) return res.destroy();
    if (step.status !== undefined) {
      res.writeHead(step.status, { 'content-type': 'application/json' });
      return res.end(JSON.stringify({ error: { message: 'no', type: 'error' } }));
    }
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    // In one write, so that the reader gets no pause from the network.
    res.cork();
    (request.path.endsWith('/messages') ? writeAnthropic : writeOpenAi)(res, step);
    res.uncork();
    if (!step.hangs) res.end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    /** How many answers the client aborted. */
    aborted: () => aborted,
    /** The next steps; afterwards `always`, or an answer that there is nothing to say. */
    will: (next: typeof steps, always?: Step) => {
      requests.length = 0;
      steps = [...next];
      forEver = always;
    },
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
};

const writeOpenAi = (res: ServerResponse, { text, calls = [], pieceLength, hangs, reason }: Step) => {
  const pieces = (whole: string) => whole.match(new RegExp(`[^]{1,${pieceLength ?? whole.length + 1}}`, 'g')) ?? [''];
  const say = (delta: object, finish: string | null = null) =>
    res.write(`data: ${JSON.stringify({ id: '1', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`);
  for (const content of text === undefined ? [] : pieces(text)) say({ role: 'assistant', content });
  for (const [index, { name, input, raw }] of calls.entries()) {
    const id = `call_${index}_${Math.random()}`;
    const [first, ...rest] = pieces(raw ?? JSON.stringify(input));
    say({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: first } }] });
    for (const piece of rest) say({ tool_calls: [{ index, function: { arguments: piece } }] });
  }
  if (hangs) return;
  say({}, reason ?? (calls.length > 0 ? 'tool_calls' : 'stop'));
  res.write('data: [DONE]\n\n');
};

const writeAnthropic = (res: ServerResponse, { text, calls = [], hangs, reason }: Step) => {
  const say = (type: string, more: object) =>
    res.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`);
  const block = (index: number, content_block: object, delta: object) => {
    say('content_block_start', { index, content_block });
    say('content_block_delta', { index, delta });
    say('content_block_stop', { index });
  };
  const usage = { input_tokens: 1, output_tokens: 1 };
  const message = { id: 'm', type: 'message', role: 'assistant', content: [], model: 'm', stop_reason: null, usage };
  say('message_start', { message });
  let index = 0;
  if (text !== undefined) block(index++, { type: 'text', text: '' }, { type: 'text_delta', text });
  for (const { name, input, raw } of calls) {
    const partial_json = raw ?? JSON.stringify(input);
    block(
      index,
      { type: 'tool_use', id: `toolu_${index++}`, name, input: {} },
      { type: 'input_json_delta', partial_json },
    );
  }
  if (hangs) return;
  const stop_reason = reason ?? (calls.length > 0 ? 'tool_use' : 'end_turn');
  say('message_delta', { delta: { stop_reason }, usage });
  say('message_stop', {});
};
