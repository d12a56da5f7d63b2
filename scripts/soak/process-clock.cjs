// Loaded into a service process before anything else: its wall clock is off by what SOAK_CLOCK_FILE says, and steps to what
// the file says then at each SIGUSR2.
const { readFileSync } = require('node:fs');
const { isMainThread } = require('node:worker_threads');

const realNow = Date.now;
const readOffset = () => Number(readFileSync(process.env.SOAK_CLOCK_FILE, 'utf8'));
let offsetMs = readOffset();
const now = () => realNow() + offsetMs;

// A proxy and no subclass, so that `instanceof` holds for dates made before this.
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
