/** Where the proxy is inside a sandbox with limited hosts: the only thing that listens in its network. */
export const PROXY_PORT = 3128;

/**
 * A program for `node -e`, run inside a sandbox that has a network of its own: it listens on {@link PROXY_PORT},
 * connects whoever comes to the unix socket of the proxy outside, and runs the server. It is text because it must run
 * wherever this package was compiled or bundled to.
 */
export const RELAY = `
const net = require('node:net');
const { spawn } = require('node:child_process');
const [socket, command, ...args] = process.argv.slice(1);
const relay = net.createServer((client) => {
  const proxy = net.connect(socket);
  for (const [one, other] of [[client, proxy], [proxy, client]]) {
    one.pipe(other);
    one.on('error', () => other.destroy());
  }
});
relay.listen(${PROXY_PORT}, '127.0.0.1', () => {
  const child = spawn(command, args, { stdio: 'inherit' });
  child.on('error', (error) => { console.error(error.message); process.exit(127); });
  child.on('exit', (code, signal) => process.exit(code ?? 1));
});
`;
