import { createRequire } from 'node:module';
import process from 'node:process';

/** What of the package is used, which has no types. */
type S3rver = { run(): Promise<{ port: number }> };
type S3rverClass = new (options: object) => S3rver;

/**
 * A server of S3: `node s3-process.ts <folder> <port>`. It prints its port once it listens, and ends with whoever started
 * it. In a process of its own, because it throws behind everybody's back where an object is taken away while it is read.
 */
const [directory = '', port = '0'] = process.argv.slice(2);
process.on('uncaughtException', () => undefined);
process.stdin.once('close', () => process.exit(0)).resume();
const Server = createRequire(import.meta.url)('s3rver') as S3rverClass;
const options = { address: '127.0.0.1', silent: true, directory, configureBuckets: [{ name: 'files' }] };
const server = await new Server({ ...options, port: Number(port) }).run();
process.stdout.write(`${server.port}\n`);
