// What the guard measures. `sample` is one round of a part: its costs by name.
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { openVisits } from '../contest.mjs';
import { enterWith as enterMcp, modern } from '../mcp/measure.mjs';
import { cpuSeconds, messageFrom, startFile } from '../processes.mjs';
import { publish, startBare as startBareLoop, startPosthorn as startPublisher } from '../publish/measure.mjs';
import { enterWith as enterRest } from '../rest/measure.mjs';
import { median, shuffled } from '../table.mjs';
import {
  certify,
  deliver,
  startBare as startBareDeliveries,
  startPosthorn as startDeliverer,
} from '../webhooks/measure.mjs';

const warmUps = 2;
const forecasts = 2;
/** A forecast is usually there after this time. To ask for it earlier would only add to its cost. */
const forecastMs = 500;
const pollMs = 250;
const quietMs = 200;
const quietShare = 0.1;
const longestQuietMs = 20_000;

/**
 * CPU a request of the second server, as a multiple of the first. A visit is a number of requests, not of seconds: on a
 * busy machine few would be answered, by code that is hardly compiled.
 */
const openContest = (entered, { connections, blink }, work) => {
  const visit = openVisits(entered, { connections });
  const sample = async (times = 1) => {
    const costs = {};
    for (const [what, { name, amount }] of Object.entries(work)) {
      const cpu = {};
      for (const server of shuffled(entered.servers)) {
        const asked = { amount: blink ? 2 * connections : times * amount };
        cpu[server.name] = (await visit(server, what, asked)).cpu;
      }
      const [base, posthorn] = entered.servers;
      costs[name] = cpu[posthorn.name] / cpu[base.name];
    }
    return costs;
  };
  return { warmUp: () => sample(2), sample: () => sample(), close: async () => entered.close?.() };
};

export const openMcp = async (place, turn) => {
  const start = async ({ contender, service }) => [
    await contender('Express 5, a JSON route', 'mcp/servers/express.mjs'),
    await service('Posthorn'),
  ];
  return openContest(await enterMcp(start)(place, turn), turn, {
    [`tools/call ${modern}`]: { name: 'tools/call, CPU, to an Express route', amount: 1_500 },
  });
};

export const openRest = async (place, turn) => {
  const start = async ({ contender, service }) => [
    await contender('bare node:http', 'rest/servers/bare.mjs'),
    await service('Posthorn'),
  ];
  return openContest(await enterRest(start)(place, turn), turn, {
    'posts.get': { name: 'posts.get, CPU, to bare node:http', amount: 2_000 },
    'posts.list, 50 posts': { name: 'posts.list, CPU, to bare node:http', amount: 800 },
    'posts.create': { name: 'posts.create, CPU, to bare node:http', amount: 1_500 },
  });
};

/** Sends and forecasts of one service with few scheduled posts, and of one with many. */
export const openPublish = async (place, { due, sizes, aheadMs }) => {
  const network = startFile('publish/network-process.mjs');
  const networkUrl = `http://127.0.0.1:${(await messageFrom(network)).port}`;
  const bare = await startBareLoop(place, networkUrl);
  const services = [];
  for (const size of sizes) {
    const name = `Posthorn, ${size.toLocaleString('en')} scheduled`;
    const sender = await startPublisher(await place.apart({ SANDBOX_URL: networkUrl }), name);
    // No two in the same minute: that is something to foretell.
    await sender.fill(size, "clock_timestamp() + interval '9 days' + i * interval '2 minutes'");
    await sender.db.query('vacuum analyze');
    services.push({ ...sender, size, forecast: await openForecast(sender) });
  }
  const [few, many] = services;
  const turn = { networkUrl, due, aheadMs };
  const warmUp = async () => {
    for (let i = 0; i < warmUps; i++) for (const sender of [bare, ...services]) await publish(sender, turn);
    for (const { forecast, pid } of services) {
      await settle(pid);
      await forecast();
    }
  };
  const sample = async () => {
    const sends = new Map();
    const moved = new Map();
    for (const sender of shuffled([bare, ...services])) {
      sends.set(sender, await publish(sender, turn));
      if (sender === bare) continue;
      await settle(sender.pid);
      moved.set(sender, await sender.forecast());
    }
    const to = (what, one, other) => sends.get(one)[what] / sends.get(other)[what];
    const [small, large] = sizes.map((size) => size.toLocaleString('en'));
    return {
      [`a send, CPU, ${small} scheduled, to a bare loop`]: to('cpuMs', few, bare),
      [`a send, CPU, ${large} scheduled, to a bare loop`]: to('cpuMs', many, bare),
      [`a send, CPU, ${large} scheduled to ${small}`]: to('cpuMs', many, few),
      [`lateness, p99, ${small} scheduled, to a bare loop`]: to('p99', few, bare),
      [`lateness, p99, ${large} scheduled, to a bare loop`]: to('p99', many, bare),
      [`lateness, p99, ${large} scheduled to ${small}`]: to('p99', many, few),
      [`a forecast, CPU, ${small} scheduled, to a bare read of them`]: moved.get(few).cpu / moved.get(few).bareCpu,
      [`a forecast, CPU, ${large} scheduled to ${small}`]: moved.get(many).cpu / moved.get(few).cpu,
    };
  };
  return {
    warmUp,
    sample,
    close: async () => {
      for (const { db } of [bare, ...services]) await db.end();
    },
  };
};

/**
 * Moves a post to the minute of another and back, as a person does, and waits until its forecast says so: CPU seconds of
 * the service for each move, and those of this process for only reading all scheduled posts.
 */
const openForecast = async ({ place, url, pid, db }) => {
  const ask = await place.browser(url);
  const { rows } = await db.query(
    `select id, scheduled_at as at from posts where status = 'Scheduled' order by scheduled_at limit 2`,
  );
  const [{ id, at: ownAt }, { at: takenAt }] = rows;
  const act = (action, input) => ask('POST', `/api/app/actions/${action}`, input);
  const { accountIds, versions } = await act('posts.get', { id });
  const isForetold = async () => {
    const { forecast = [] } = await act('posts.get', { id });
    return forecast.some(({ code }) => code === 'same_minute');
  };
  const moveTo = async (at) => {
    await act('posts.update', { id, accountIds, versions, scheduledAt: at.toISOString() });
    await sleep(forecastMs);
    while ((await isForetold()) !== (at === takenAt)) await sleep(pollMs);
  };
  return async () => {
    const begun = cpuSeconds(pid);
    for (let i = 0; i < forecasts; i++) await moveTo(i % 2 === 0 ? takenAt : ownAt);
    await settle(pid);
    const cpu = (cpuSeconds(pid) - begun) / forecasts;
    const reads = [];
    for (let i = 0; i < 5; i++) reads.push(await readCpu(db));
    return { cpu, bareCpu: median(reads) };
  };
};

const readCpu = async (db) => {
  const begun = process.cpuUsage();
  const { rows } = await db.query(
    `select id, scheduled_at, account_ids, versions from posts where status = 'Scheduled'`,
  );
  const { user, system } = process.cpuUsage(begun);
  assert.ok(rows.length > 0);
  return (user + system) / 1e6;
};

/** What a process still has to do must not count for the next one. */
const settle = async (pid) => {
  const deadline = performance.now() + longestQuietMs;
  for (let before = cpuSeconds(pid); performance.now() < deadline; ) {
    await sleep(quietMs);
    const now = cpuSeconds(pid);
    if (now - before < (quietShare * quietMs) / 1000) return;
    before = now;
  }
};

export const openWebhooks = async (place, { perWebhook }) => {
  const { CERTIFICATE, KEY, OUTBOUND_CA } = await certify(place.folder);
  const receiver = startFile('webhooks/receiver.mjs', { CERTIFICATE, KEY });
  const { ports } = await messageFrom(receiver);
  const allow = ports.map((port) => `127.0.0.1:${port}`).join(',');
  const posthorn = await startDeliverer(place, undefined, { OUTBOUND_ALLOW: allow, OUTBOUND_CA }, ports);
  const bare = await startBareDeliveries(posthorn, CERTIFICATE);
  const sample = async () => {
    const cpu = new Map();
    for (const sender of shuffled([bare, posthorn])) {
      cpu.set(sender, (await deliver({ receiver, perWebhook, sender })).cpu);
    }
    return { 'a delivery, CPU, to a bare loop': cpu.get(posthorn) / cpu.get(bare) };
  };
  return {
    warmUp: sample,
    sample,
    close: () => posthorn.db.end(),
  };
};
