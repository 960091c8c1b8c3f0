/** The port of the proxy inside a sandbox with limited hosts: the only listener in its network. */
export const PROXY_PORT = 3128;

/** Prefix that hides the server's variables from the relay, see {@link relayEnvironment}. */
const HIDING = 'TOOLYARD_OF_SERVER_';

/**
 * The environment of the relay. Node would read `NODE_OPTIONS`, certificates and `NODE_USE_ENV_PROXY` (which loads an
 * HTTP client and doubles the start time) before the relay runs, so these variables are renamed until the server is
 * started.
 */
export function relayEnvironment(env: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).map(([name, value]) => [name.startsWith('NODE_') ? HIDING + name : name, value]),
  );
}

/**
 * A script for `node -e`, run inside a sandbox with its own network: it listens on {@link PROXY_PORT}, forwards
 * connections to the unix socket of the proxy outside, and runs the server. It is a string because it must run wherever
 * this package is compiled or bundled to.
 */
export const RELAY = `
const net = require('node:net');
const { spawn } = require('node:child_process');
const [socket, command, ...args] = process.argv.slice(1);
const entries = Object.entries(process.env);
const env = Object.fromEntries(entries.map(([name, value]) => [name.replace(/^${HIDING}/, ''), value]));
const relay = net.createServer((client) => {
  const proxy = net.connect(socket);
  for (const [one, other] of [[client, proxy], [proxy, client]]) {
    one.pipe(other);
    one.on('error', () => other.destroy());
  }
});
relay.listen(${PROXY_PORT}, '127.0.0.1', () => {
  const child = spawn(command, args, { stdio: 'inherit', env });
  child.on('error', (error) => { console.error(error.message); process.exit(127); });
  child.on('exit', (code, signal) => process.exit(code ?? 1));
});
`;
