// Loaded before a client: each connection goes to the twins on this machine, whatever host the client names. Packages
// connect through fetch, node:https and libraries of their own, which all end in this one method.
import net from 'node:net';

const gatePort = Number(process.env.FOREIGN_GATE_PORT);
const isLoopback = (host) => host === undefined || host === 'localhost' || host === '127.0.0.1' || host === '::1';
const { connect } = net.Socket.prototype;

net.Socket.prototype.connect = function (...args) {
  // Node passes its own calls on as a list that is normalized already.
  const normalized = Array.isArray(args[0]) ? args[0] : net._normalizeArgs(args);
  const [options] = normalized;
  if (options.path === undefined && !isLoopback(options.host)) {
    normalized[0] = { ...options, host: '127.0.0.1', port: gatePort };
  }
  return connect.call(this, normalized);
};
