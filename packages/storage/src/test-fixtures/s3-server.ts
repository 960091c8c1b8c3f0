import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ownPort, registerProcess, within } from '@toolyard/testing';
import type { S3Settings } from '../s3/settings.ts';
import { temporaryFolder } from './sqlite-engine.ts';

const PROGRAM = fileURLToPath(new URL('./s3-process.ts', import.meta.url));

export type S3Server = { settings: S3Settings; stop(): Promise<void>; start(): Promise<void>; close(): Promise<void> };

/** An S3 server with an empty bucket on its own port; restarted, it keeps port and objects. */
export async function startS3Server(): Promise<S3Server> {
  const folder = temporaryFolder();
  const port = await ownPort();
  let server: ChildProcess | null = null;
  const start = async (): Promise<void> => {
    const args = ['--disable-warning=ExperimentalWarning', PROGRAM, join(folder.path, 's3'), String(port)];
    const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    server = registerProcess(child, 'S3 server');
    await within(once(child.stdout, 'data'), { what: 'the S3 server' });
  };
  const stop = async (): Promise<void> => {
    if (server === null) return;
    const over = once(server, 'exit');
    server.kill('SIGKILL');
    await within(over, { what: 'the exit of the S3 server' });
    server = null;
  };
  await start();
  return {
    settings: {
      bucket: 'files',
      prefix: 'toolyard/',
      region: 'us-east-1',
      endpoint: `http://127.0.0.1:${port}`,
      accessKeyId: 'S3RVER',
      secretAccessKey: 'S3RVER',
    },
    start,
    stop,
    async close() {
      await stop();
      folder.remove();
    },
  };
}
