import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { S3Settings } from '../s3/settings.ts';
import { temporaryFolder } from './sqlite-engine.ts';

/** What of the package is used, which has no types. */
type S3rver = { run(): Promise<{ port: number }>; close(): Promise<void> };
type S3rverClass = new (options: object) => S3rver;

export type S3Server = { settings: S3Settings; stop(): Promise<void>; start(): Promise<void>; close(): Promise<void> };

/** A server of S3 with an empty bucket, on a free port; stopped and started again it has the same port and objects. */
export async function startS3Server(): Promise<S3Server> {
  const Server = createRequire(import.meta.url)('s3rver') as S3rverClass;
  const folder = temporaryFolder();
  const options = { address: '127.0.0.1', silent: true, directory: join(folder.path, 's3') };
  let port = 0;
  let server: S3rver | null = null;
  const start = async (): Promise<void> => {
    server = new Server({ ...options, port, configureBuckets: [{ name: 'files' }] });
    ({ port } = await server.run());
  };
  const stop = async (): Promise<void> => {
    await server?.close();
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
