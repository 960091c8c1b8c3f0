import { stdin, stdout } from 'node:process';
import { createInterface } from 'node:readline';
import { systemClock } from '@toolyard/protocol';
import { createFailpoints } from '@toolyard/testing';
import { openDatabase } from '../postgres/open-database.ts';
import { StorageError } from '../storage-error.ts';
import { TEST_CLOCK } from './postgres-engine.ts';

/**
 * A process with an open database, controlled by its input: `node store-process.ts <url> [<failpoint to pause at>]`. A
 * line `[method, ...parameters]` calls the run store; the result is printed as a line.
 */
const [url = '', pauseAt] = process.argv.slice(2);
const failpoint = createFailpoints();
if (pauseAt !== undefined) failpoint.at(pauseAt, () => void process.kill(process.pid, 'SIGSTOP'), { hit: 1 });
const storage = await openDatabase({ url, clock: systemClock, failpoint }, TEST_CLOCK);
const methods = new Map<string, (...args: never[]) => unknown>(Object.entries(storage.runs));
print('ready');

for await (const line of createInterface({ input: stdin })) {
  const [method, ...parameters] = JSON.parse(line) as [string, ...unknown[]];
  try {
    const call = methods.get(method);
    if (!call) throw new Error(`no method ${method}`);
    print((await Reflect.apply(call, storage.runs, parameters)) ?? null);
  } catch (error) {
    print(StorageError.isInstance(error) ? { problem: error.problem } : { thrown: String(error) });
  }
}
await storage.close();

function print(value: unknown): void {
  stdout.write(`${JSON.stringify(value)}\n`);
}
