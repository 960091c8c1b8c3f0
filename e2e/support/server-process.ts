import { closeSync, openSync } from 'node:fs';
import { killThisProcess } from '@toolyard/testing';
import type { Fault } from './server-instance.ts';
import type { TestServerSettings } from './test-server.ts';
import { startTestServer } from './test-server.ts';

/**
 * A server in a process of its own: `node server-process.ts <settings as JSON> [fault as JSON]`. It prints its URL; SIGTERM
 * closes it; at its fault it sends itself SIGKILL.
 */
const [settings = '{}', fault = 'null'] = process.argv.slice(2);
const { place, hit, after, onceFile } = (JSON.parse(fault) as Fault | null) ?? { place: null, hit: 0 };

let hitsLeft = hit;
let counts = after === undefined;

function onPlace(name: string): void {
  const isHit = counts && (name === place || place === '*') && --hitsLeft === 0;
  if (isHit && (onceFile === undefined || claim(onceFile))) void killThisProcess();
  counts ||= name === after;
}

/** True for the first process that asks. */
function claim(file: string): boolean {
  try {
    closeSync(openSync(file, 'wx'));
    return true;
  } catch {
    return false;
  }
}

const server = await startTestServer(JSON.parse(settings) as TestServerSettings, {
  onPlace,
  log: (line) => void process.stderr.write(`${line}\n`),
});
// The pipe closes with the process of the test, even if that is killed.
process.stdin.once('close', () => process.exit(1)).resume();
process.once('SIGTERM', () => void server.close().then(() => process.exit(0)));
process.stdout.write(`${server.url}\n`);
