// Loaded before a client. It redirects connections to a host of the client's network to the gate on this machine, and
// fails all others. Packages connect through fetch, node:https and their own libraries; all end up in this method.
import dns from 'node:dns';
import net from 'node:net';

const gatePort = Number(process.env.FOREIGN_GATE_PORT);
const gateHosts = (process.env.FOREIGN_GATE_HOSTS ?? '').split(' ');
const isLoopback = (host) => host === undefined || host === 'localhost' || host === '127.0.0.1' || host === '::1';
const { connect } = net.Socket.prototype;
const { lookup } = dns;

const reportStray = (host) => process.send({ call: 'stray', args: [host] });

const failLookup = (_host, ...args) => process.nextTick(args.at(-1), new Error('The host is not on this machine.'));

// A name lookup means that a connection bypassed the gate.
dns.lookup = (host, ...args) => {
  if (isLoopback(host)) return lookup(host, ...args);
  reportStray(host);
  failLookup(host, ...args);
};

net.Socket.prototype.connect = function (...args) {
  // Node's internal callers pass arguments that are already normalized.
  const normalized = Array.isArray(args[0]) ? args[0] : net._normalizeArgs(args);
  const [options] = normalized;
  if (!options.path && !isLoopback(options.host)) {
    const isServed = gateHosts.includes(options.host) && Number(options.port) === 443;
    if (!isServed) reportStray(`${options.host}:${options.port}`);
    normalized[0] = isServed
      ? { ...options, host: '127.0.0.1', port: gatePort }
      : // An IP address would be used without a lookup, so replace it by a name
        { ...options, host: 'elsewhere.invalid', lookup: failLookup };
  }
  return connect.call(this, normalized);
};
