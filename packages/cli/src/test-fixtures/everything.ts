import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { eventually, ownPort } from '@toolyard/testing';

const EVERYTHING = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/dist/index.js');

/** The reference server over Streamable HTTP: started once for many commands. */
export async function startEverything(): Promise<AsyncDisposable & { url: string }> {
  const port = await ownPort();
  const child = spawn(process.execPath, [EVERYTHING, 'streamableHttp'], {
    env: { PATH: process.env['PATH'] ?? '', PORT: String(port) },
    stdio: 'ignore',
  });
  const url = `http://127.0.0.1:${port}/mcp`;
  // Any answer will do: it listens.
  await eventually(async () => (await fetch(url)).status > 0, { what: 'the reference server' });
  return {
    url,
    async [Symbol.asyncDispose]() {
      const exit = once(child, 'exit');
      child.kill('SIGKILL');
      await exit;
    },
  };
}
