import { createRequire } from 'node:module';
import process from 'node:process';

/** The part of the package that is used, which has no types. */
type S3rver = { run(): Promise<{ port: number }> };
type S3rverClass = new (options: object) => S3rver;

/**
 * An S3 server: `node s3-process.ts <folder> <port>`. Prints its port when it listens, and exits with its parent. In a
 * separate process, because it throws asynchronously if an object is removed during a read.
 */
const [directory = '', port = '0'] = process.argv.slice(2);
process.on('uncaughtException', () => undefined);
process.stdin.once('close', () => process.exit(0)).resume();
const Server = createRequire(import.meta.url)('s3rver') as S3rverClass;
const options = { address: '127.0.0.1', silent: true, directory, configureBuckets: [{ name: 'files' }] };
const server = await new Server({ ...options, port: Number(port) }).run();
process.stdout.write(`${server.port}\n`);
