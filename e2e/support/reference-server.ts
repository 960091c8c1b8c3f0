import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { eventually, ownPort } from '@toolyard/testing';

const EVERYTHING = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/dist/index.js');

/** The MCP reference server in a process of its own. */
export async function startReferenceServer(
  transport: 'streamableHttp' | 'sse',
): Promise<AsyncDisposable & { origin: string }> {
  const port = await ownPort();
  const env = { PATH: process.env['PATH'], PORT: String(port) };
  const child = spawn(process.execPath, [EVERYTHING, transport], { env, stdio: 'ignore' });
  const ended = once(child, 'exit');
  const origin = `http://127.0.0.1:${String(port)}`;
  await eventually(() => fetch(origin, { method: 'OPTIONS' }).then(() => true), { what: 'the reference server' });
  return {
    origin,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
