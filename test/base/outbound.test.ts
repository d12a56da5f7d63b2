import { once } from 'node:events';
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { Readable } from 'node:stream';
import { afterEach, describe, expect, test } from 'vitest';
import { readConfig } from '#server/base/config/config';
import { createOutbound, type OutboundOptions, type WriteGuard } from '#server/base/outbound/guarded-client';
import { selfSigned } from '#test/support/certificate';
import { pretendInternet } from '#test/support/internet';
import { until } from '#test/support/until';

const publicIp = '93.184.216.34';
const certificate = selfSigned({ names: ['localhost', 'hook.example.com'] });
const opened: { close(): unknown }[] = [];

const listening = async (server: Server) => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  opened.push({
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  });
  return (server.address() as AddressInfo).port;
};
const secureServer = (listener: RequestListener, { cert, key } = certificate) =>
  listening(createSecureServer({ cert, key }, listener));

const outboundWith = (options: OutboundOptions) => {
  const outbound = createOutbound(options);
  opened.push(outbound);
  return outbound;
};

/** Serves `hook.example.com` on the simulated public internet with this listener. */
const publicHost = async (listener: RequestListener, answers: string[][] = [[publicIp]], landsOn?: string) => {
  const port = await secureServer(listener);
  const internet = pretendInternet({ names: { 'hook.example.com': answers }, port, ...(landsOn && { landsOn }) });
  return { outbound: outboundWith({ ...internet, extraCa: certificate.cert }), dialled: internet.dialled };
};

const silent = () =>
  outboundWith({
    lookup: () => expect.unreachable('a name was resolved'),
    connectorFor: () => () => expect.unreachable('an address was dialled'),
  });

afterEach(() => Promise.all(opened.splice(0).map((one) => one.close())));

describe('an address is refused before anything is asked', () => {
  test.each([
    'http://example.com/',
    'http://169.254.169.254/',
    'ftp://example.com/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'https:example.com',
    'https:///example.com',
    '//example.com',
    'example.com',
    '',
    'https://',
    'https://user@example.com/',
    'https://user:pass@example.com/',
    'https://@example.com/',
    'https:\\\\example.com\\',
    'https://example.com\\@127.0.0.1/',
    'https://exa\tmple.com/',
    'https://example.com/\n',
    ' https://example.com/',
    'https://exa mple.com/',
    'https://exam\u0000ple.com/',
    'https://example.com:99999/',
    'https://example.com:0/',
    `https://example.com/${'a'.repeat(2048)}`,
  ])('when it is not an https address: %j', async (url) => {
    expect(await silent().request(url)).toMatchObject({ ok: false, reason: 'badUrl' });
  });

  test.each([
    'https://.com/',
    'https://a..b/',
    'https://intranet/',
    'https://localhost/',
    'https://LOCALHOST/',
    'https://posthorn.localhost/',
    'https://printer.local/',
    'https://metadata.google.internal/',
    'https://router.home.arpa/',
    'https://127.0.0.1/',
    'https://127.1/',
    'https://0177.0.0.1/',
    'https://0x7f.1/',
    'https://0x7f.0.0.1/',
    'https://2130706433/',
    'https://１２７.0.0.1/',
    'https://127。0。0。1/',
    'https://0.0.0.0/',
    'https://10.1.2.3/',
    'https://172.16.0.1/',
    'https://192.168.1.1/',
    'https://100.64.0.1/',
    'https://169.254.169.254/latest/meta-data/',
    'https://168.63.129.16/',
    'https://192.0.2.1/',
    'https://198.18.0.1/',
    'https://224.0.0.1/',
    'https://255.255.255.255/',
    'https://0xa9fea9fe/',
    'https://localhost./',
    'https://printer.local./',
    'https://127.0.0.1./',
    'https://example.com../',
    'https://[::1]/',
    'https://[::]/',
    'https://[::ffff:169.254.169.254]/',
    'https://[64:ff9b::a9fe:a9fe]/',
    'https://[fd00:ec2::254]/',
    'https://[::ffff:7f00:1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[::7f00:1]/',
    'https://[::127.0.0.1]/',
    'https://[64:ff9b::7f00:1]/',
    'https://[2002:7f00:1::]/',
    'https://[2001::1]/',
    'https://[2001:db8::1]/',
    'https://[fc00::1]/',
    'https://[fd12::1]/',
    'https://[fe80::1]/',
    'https://[fec0::1]/',
    'https://[ff02::1]/',
    'https://[4000::1]/',
  ])('when it is not public: %s', async (url) => {
    expect(await silent().request(url)).toMatchObject({ ok: false, reason: 'blocked' });
    expect(silent().checkUrl(url)).toMatchObject({ ok: false, reason: 'blocked' });
  });

  test.each([
    'https://example.com/',
    'https://example.com:8443/a?b#c',
    'https://example.com:22/',
    'https://example.com:80/',
    'https://example.com./',
    'https://bücher.example/',
    `https://${publicIp}/`,
  ])('and only then, however often it is asked about: %s', (url) => {
    const { checkUrl } = silent();
    const refused = Array.from({ length: 20_000 }, () => checkUrl(url)).filter(({ ok }) => !ok);
    expect(refused).toEqual([]);
  });
});

describe('a name is dialled only at the address that was checked', () => {
  test('a public name is reached, with its status, headers and body', async () => {
    const { outbound, dialled } = await publicHost((req, res) => {
      res.setHeader('x-host', req.headers.host ?? '').end(`${req.method} ${req.url}`);
    });
    const answer = await outbound.request('https://hook.example.com/a?b', { method: 'POST', body: 'x' });
    expect(answer).toMatchObject({ ok: true, status: 200, headers: { 'x-host': 'hook.example.com' } });
    expect(answer.ok && answer.body.toString()).toBe('POST /a?b');
    expect(dialled).toEqual([publicIp]);
  });

  test.each([[['10.0.0.1']], [[publicIp, '127.0.0.1']], [['::ffff:7f00:1']], [['fd00::1', publicIp]], [[]]])(
    'a name that resolves to %j is not dialled',
    async (addresses) => {
      const { outbound, dialled } = await publicHost((_req, res) => res.end(), [addresses]);
      const answer = await outbound.request('https://hook.example.com/');
      expect(answer).toEqual({ ok: false, reason: 'blocked', message: 'The address is not on the public internet.' });
      expect(dialled).toEqual([]);
    },
  );

  test('a name that turns private between two attempts is refused at the second', async () => {
    const { outbound, dialled } = await publicHost((_req, res) => res.end(), [[publicIp], ['127.0.0.1']]);
    expect(await outbound.request('https://hook.example.com/')).toMatchObject({ ok: true });
    expect(await outbound.request('https://hook.example.com/')).toMatchObject({ ok: false, reason: 'blocked' });
    expect(dialled).toEqual([publicIp]);
  });

  test('a socket that ends up at a private address is cut', async () => {
    const { outbound } = await publicHost(() => expect.unreachable('a request was sent'), [[publicIp]], '127.0.0.1');
    expect(await outbound.request('https://hook.example.com/')).toMatchObject({ ok: false, reason: 'blocked' });
  });

  test('an unknown name is said to be unknown', async () => {
    const { outbound } = await publicHost((_req, res) => res.end());
    expect(await outbound.request('https://gone.example.com/')).toMatchObject({ ok: false, reason: 'notFound' });
  });
});

describe('a bad server does no harm', () => {
  test('a redirect is an answer and is not followed', async () => {
    const { outbound, dialled } = await publicHost((_req, res) => {
      res.writeHead(302, { location: 'https://169.254.169.254/latest/meta-data/' }).end();
    });
    expect(await outbound.request('https://hook.example.com/')).toMatchObject({ ok: true, status: 302 });
    expect(dialled).toHaveLength(1);
  });

  test('a server that never answers is given up', async () => {
    const { outbound } = await publicHost(() => undefined);
    const answer = await outbound.request('https://hook.example.com/', { timeoutMs: 100 });
    expect(answer).toMatchObject({ ok: false, reason: 'timeout' });
  });

  test('an answer that came while the process stood still is read', async () => {
    const standStill = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
    const { outbound } = await publicHost((_req, res) => {
      standStill();
      res.end();
    });
    // To connect may take longer than that.
    await until('it is read', async () => (await outbound.request('https://hook.example.com/', { timeoutMs: 150 })).ok);
  });

  test('a connection that opens after the request was given up does not carry it', async () => {
    const seen: (string | undefined)[] = [];
    const port = await secureServer((req, res) => {
      seen.push(req.url);
      res.end();
    });
    const internet = pretendInternet({ names: { 'hook.example.com': [[publicIp]] }, port });
    const held: (() => void)[] = [];
    const lookup: typeof internet.lookup = (...asked) => void held.push(() => internet.lookup(...asked));
    const outbound = outboundWith({ ...internet, lookup, extraCa: certificate.cert });
    const ask = (path: string, timeoutMs: number) =>
      outbound.request(`https://hook.example.com${path}`, { method: 'POST', reuseConnection: true, timeoutMs });
    expect(await ask('/late', 50)).toMatchObject({ ok: false, reason: 'timeout' });
    const second = ask('/in-time', 10_000);
    for (const resolve of held) resolve();
    expect(await second).toMatchObject({ ok: true });
    expect(await ask('/after', 10_000)).toMatchObject({ ok: true });
    expect(seen).toEqual(['/in-time', '/after']);
  });

  test('a body that drips on for ever is given up', async () => {
    const { outbound } = await publicHost((_req, res) => {
      const drip = setInterval(() => res.write('.'), 20);
      res.on('close', () => clearInterval(drip));
    });
    const answer = await outbound.request('https://hook.example.com/', { timeoutMs: 200 });
    expect(answer).toMatchObject({ ok: false, reason: 'timeout' });
  });

  test('a body over the limit is not taken in', async () => {
    const { outbound } = await publicHost((_req, res) => res.end(Buffer.alloc(20 * 1024 * 1024)));
    const answer = await outbound.request('https://hook.example.com/', { maxBytes: 1000 });
    expect(answer).toMatchObject({ ok: false, reason: 'tooLarge' });
  });

  test.each([
    ['20 MB', (res: ServerResponse) => res.end(Buffer.alloc(20 * 1024 * 1024))],
    ['endless', (res: ServerResponse) => res.write('.')],
    ['never', (res: ServerResponse) => res.flushHeaders()],
  ])('who asks for the status alone does not wait for a body (%s)', async (_size, write) => {
    let isOpen = true;
    const { outbound } = await publicHost((_req, res) => {
      res.on('close', () => {
        isOpen = false;
      });
      write(res);
    });
    const alone = { maxBytes: 0, timeoutMs: 60_000 };
    expect(await outbound.request('https://hook.example.com/', alone)).toMatchObject({ ok: true });
    await until('the connection is closed', () => !isOpen);
  });

  test.each([
    ['nobody vouches for', certificate, undefined],
    ['names another host', selfSigned({ names: ['other.example.com'] }), 'trusted'],
    ['has expired', selfSigned({ names: ['hook.example.com'], until: new Date('2021-01-01') }), 'trusted'],
  ])('a certificate that %s is refused', async (_what, pair, trusted) => {
    const port = await secureServer((_req, res) => res.end(), pair);
    const internet = pretendInternet({ names: { 'hook.example.com': [[publicIp]] }, port });
    const outbound = outboundWith({ ...internet, extraCa: trusted && pair.cert });
    expect(await outbound.request('https://hook.example.com/')).toMatchObject({ ok: false, reason: 'badCertificate' });
  });

  test('a server that hangs up is unreachable', async () => {
    const { outbound } = await publicHost((req) => req.socket.destroy());
    expect(await outbound.request('https://hook.example.com/')).toMatchObject({ ok: false, reason: 'unreachable' });
  });
});

describe('a kept connection', () => {
  const requests = 10;
  const connections = async (reuseConnection: boolean, listener: RequestListener = (_req, res) => res.end()) => {
    const sockets = new Set();
    const { outbound } = await publicHost((req, res) => {
      sockets.add(req.socket);
      listener(req, res);
    });
    for (let i = 0; i < requests; i++) {
      const how = { method: 'POST', body: 'x', maxBytes: 0, reuseConnection } as const;
      expect(await outbound.request('https://hook.example.com/', how)).toMatchObject({ ok: true });
    }
    return sockets.size;
  };

  test('serves requests that follow each other, if they may be repeated', async () => {
    expect(await connections(true)).toBeLessThan(requests);
    expect(await connections(false)).toBe(requests);
  });

  test('is given up for an answer that is too long to be read for nothing', async () => {
    expect(await connections(true, (_req, res) => res.end(Buffer.alloc(20 * 1024 * 1024)))).toBe(requests);
    expect(await connections(true, (_req, res) => res.write('.'))).toBe(requests);
  });
});

describe('a kept connection that breaks before any answer', () => {
  const how = { method: 'POST', body: 'x', maxBytes: 0, reuseConnection: true } as const;

  /** Closes every connection at its second request, like a server whose keep-alive timeout has just expired. */
  const impatient = async (breakAt: number, cut = (socket: Socket) => socket.destroy()) => {
    const served = new Map<Socket, number>();
    const { outbound } = await publicHost((req, res) => {
      const count = (served.get(req.socket) ?? 0) + 1;
      served.set(req.socket, count);
      if (count < breakAt) res.end();
      else cut(req.socket);
    });
    const ask = (repeatable: boolean) => outbound.request('https://hook.example.com/', { ...how, repeatable });
    return { ask, requests: () => [...served.values()] };
  };

  test('is tried once more on a fresh one, if the request may be repeated', async () => {
    const { ask, requests } = await impatient(2);
    await until('one was used twice', async () => {
      expect(await ask(true)).toMatchObject({ ok: true });
      return requests().includes(2);
    });
  });

  test('is trouble for a request that may not', async () => {
    const { ask, requests } = await impatient(2);
    await until('one breaks', async () => {
      const { ok } = await ask(false);
      expect(ok).toBe(!requests().includes(2));
      return !ok;
    });
  });

  test('is trouble when it is fresh itself', async () => {
    const { ask, requests } = await impatient(1);
    expect(await ask(true)).toMatchObject({ ok: false, reason: 'unreachable' });
    expect(requests()).toEqual([1]);
  });

  test('is trouble when an answer had begun', async () => {
    const { ask, requests } = await impatient(2, (socket) => socket.end('HTTP/1.1 200 OK\r\nx-a: '));
    await until('one breaks', async () => {
      const { ok } = await ask(true);
      expect(ok).toBe(!requests().includes(2));
      return !ok;
    });
  });
});

describe('a request that somebody watches over', () => {
  const post = { method: 'POST', body: 'x', reuseConnection: true } as const;
  const counted = async () => {
    const seen: string[] = [];
    const { outbound, dialled } = await publicHost((req, res) => {
      req.on('data', (piece) => seen.push(String(piece)));
      req.on('end', () => res.end());
    });
    const ask = (guard: WriteGuard, body: string | Readable = 'x') =>
      outbound.request('https://hook.example.com/', { ...post, body, guard });
    return { seen, ask, dialled };
  };

  test('asks when the connection is open, and nothing leaves when the answer is no', async () => {
    const { seen, ask, dialled } = await counted();
    const asked: number[] = [];
    const mayBegin = () => {
      asked.push(dialled.length);
      return false;
    };
    expect(await ask({ mayBegin })).toMatchObject({ ok: false, reason: 'late' });
    expect(asked).toEqual([1]);
    expect(seen).toEqual([]);
  });

  test('asks on a kept connection, too', async () => {
    const { seen, ask, dialled } = await counted();
    let tries = 0;
    let isKept = false;
    // A slow machine may be late for the connection that was kept.
    while (!isKept && tries < 20) {
      tries++;
      expect(await ask({ mayBegin: () => true })).toMatchObject({ ok: true });
      const before = dialled.length;
      expect(await ask({ mayBegin: () => false })).toMatchObject({ ok: false, reason: 'late' });
      isKept = dialled.length === before;
    }
    expect(isKept).toBe(true);
    expect(seen).toHaveLength(tries);
  });

  test('asks before each piece of a stream, and breaks off when the answer is no', async () => {
    const { seen, ask } = await counted();
    const pieces = () => Readable.from(['one', 'two', 'three'].map((text) => Buffer.from(text)));
    expect(await ask({ mayBegin: () => true }, pieces())).toMatchObject({ ok: true });
    expect(seen.join('')).toBe('onetwothree');
    let left = 1;
    expect(await ask({ mayBegin: () => true, mayContinue: () => left-- > 0 }, pieces())).toMatchObject({
      ok: false,
      reason: 'unreachable',
    });
    expect(seen.join('')).not.toMatch(/three.*three/);
    expect(await ask({ mayBegin: () => false }, pieces())).toMatchObject({ ok: false, reason: 'late' });
  });
});

describe('what development allows', () => {
  test('a private host and port is reached when it is listed, and its neighbours are not', async () => {
    const port = await secureServer((_req, res) => res.end('here'));
    const outbound = outboundWith({ allow: [`127.0.0.1:${port}`], extraCa: certificate.cert });
    expect(await outbound.request(`https://127.0.0.1:${port}/`)).toMatchObject({ ok: true, status: 200 });
    expect(await outbound.request(`https://localhost:${port}/`)).toMatchObject({ ok: false, reason: 'blocked' });
    expect(await outbound.request(`https://127.0.0.1:${port + 1}/`)).toMatchObject({ ok: false, reason: 'blocked' });
    expect(await outbound.request(`http://127.0.0.1:${port}/`)).toMatchObject({ ok: false, reason: 'badUrl' });
  });

  test('plain http is for a listed address of this machine', async () => {
    const port = await listening(createServer((_req, res) => res.end()));
    const allow = [`127.0.0.1:${port}`, 'example.com:80'];
    const outbound = outboundWith({ allow, plainHttp: true });
    expect(await outbound.request(`http://127.0.0.1:${port}/`)).toMatchObject({ ok: true });
    expect(outbound.checkUrl('http://example.com/')).toMatchObject({ ok: false, reason: 'badUrl' });
    const refused = await outboundWith({ allow: ['127.0.0.1:1'], plainHttp: true }).request('http://127.0.0.1:1/');
    expect(refused).toMatchObject({ ok: false, reason: 'refused', message: 'The connection was refused.' });
  });

  test('a public server does not start with a list', () => {
    const settings = { OUTBOUND_ALLOW: '127.0.0.1:9443, [::1]:9443' };
    expect(readConfig(settings).outbound.allow).toEqual(['127.0.0.1:9443', '[::1]:9443']);
    expect(() => readConfig({ ...settings, BASE_URL: 'https://posthorn.example.com' })).toThrow('OUTBOUND_ALLOW');
    expect(() => readConfig({ OUTBOUND_ALLOW: '127.0.0.1' })).toThrow('must be host:port');
    expect(() => readConfig({ OUTBOUND_CA: 'no/such/file' })).toThrow('OUTBOUND_CA: ENOENT');
  });
});
