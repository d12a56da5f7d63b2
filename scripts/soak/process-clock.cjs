// Preloaded into a service process: shifts its wall clock by the offset in SOAK_CLOCK_FILE, and reads the file again at each
// SIGUSR2.
const { readFileSync } = require('node:fs');
const { isMainThread } = require('node:worker_threads');

const realNow = Date.now;
const readOffset = () => Number(readFileSync(process.env.SOAK_CLOCK_FILE, 'utf8'));
let offsetMs = readOffset();
const now = () => realNow() + offsetMs;

// A proxy instead of a subclass, so that `instanceof` still works for dates created before.
globalThis.Date = new Proxy(Date, {
  construct: (target, values, newTarget) =>
    Reflect.construct(target, values.length === 0 ? [now()] : values, newTarget),
  get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
});

if (isMainThread) {
  process.on('SIGUSR2', () => {
    offsetMs = readOffset();
  });
}
