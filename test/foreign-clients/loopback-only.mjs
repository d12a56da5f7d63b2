// Loaded before a client: a connection to a host of its network goes to the gate on this machine, and one to any other
// host fails. Packages connect through fetch, node:https and libraries of their own, which all end in this one method.
import dns from 'node:dns';
import net from 'node:net';

const gatePort = Number(process.env.FOREIGN_GATE_PORT);
const gateHosts = (process.env.FOREIGN_GATE_HOSTS ?? '').split(' ');
const isLoopback = (host) => host === undefined || host === 'localhost' || host === '127.0.0.1' || host === '::1';
const { connect } = net.Socket.prototype;
const { lookup } = dns;

const reportStray = (host) => process.send({ call: 'stray', args: [host] });

const failLookup = (_host, ...args) => process.nextTick(args.at(-1), new Error('The host is not on this machine.'));

// A name that is looked up has gone past the gate.
dns.lookup = (host, ...args) => {
  if (isLoopback(host)) return lookup(host, ...args);
  reportStray(host);
  failLookup(host, ...args);
};

net.Socket.prototype.connect = function (...args) {
  // Node passes its own calls on as a list that is normalized already.
  const normalized = Array.isArray(args[0]) ? args[0] : net._normalizeArgs(args);
  const [options] = normalized;
  if (!options.path && !isLoopback(options.host)) {
    const isServed = gateHosts.includes(options.host) && Number(options.port) === 443;
    if (!isServed) reportStray(`${options.host}:${options.port}`);
    normalized[0] = isServed
      ? { ...options, host: '127.0.0.1', port: gatePort }
      : // An address of digits would be taken without a lookup.
        { ...options, host: 'elsewhere.invalid', lookup: failLookup };
  }
  return connect.call(this, normalized);
};
