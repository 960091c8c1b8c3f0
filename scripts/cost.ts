import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';

/** Budget of `npm test`: its CPU seconds divided by those of the calibration below (docs/testing.md). */
const CPU_BUDGET = 766;
/** Pause between two samples, which take two per cent of two cores. */
const PAUSE_MS = 15_000;

/** CPU seconds of this process and of all descendants that exited and were waited for; Linux only. */
function cpuSeconds(): number {
  const stat = readFileSync('/proc/self/stat', 'utf8');
  // "pid (command) state ...": the command can contain spaces and parentheses. User and system time of the children, in ticks.
  const [user = 0, system = 0] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(13, 15)
    .map(Number);
  const own = process.cpuUsage();
  return (user + system) / 100 + (own.user + own.system) / 1e6;
}

/**
 * Measures the CPU time of this process and its children until the returned function is called, which describes it. The
 * calibration runs repeatedly meanwhile: on a shared machine the speed of a core changes within seconds.
 */
export function startCounting(): () => Promise<string> {
  if (process.platform !== 'linux') return () => Promise.resolve('CPU time is measured on Linux only.');
  const before = cpuSeconds();
  const samples: number[] = [];
  const stopped = new AbortController();
  const sampling = sample();
  return async () => {
    stopped.abort();
    await sampling;
    const spent = cpuSeconds() - before - samples.reduce((sum, one) => sum + one, 0);
    const ratio = Math.round(spent / (samples.toSorted((a, b) => a - b)[samples.length >> 1] ?? NaN));
    const warning = ratio > CPU_BUDGET ? '\nWARNING: the budget is exceeded. Make tests cheaper or replace some.' : '';
    return `CPU time: ${spent.toFixed(0)} s, ${ratio} times the calibration; budget ${CPU_BUDGET}${warning}`;
  };

  async function sample(): Promise<void> {
    do {
      const child = spawn(process.execPath, [import.meta.filename], { stdio: ['ignore', 'pipe', 'inherit'] });
      const [output] = await Promise.all([text(child.stdout), once(child, 'close')]);
      samples.push(Number(output));
      await sleep(PAUSE_MS, undefined, { signal: stopped.signal }).catch(() => undefined);
    } while (!stopped.signal.aborted);
  }
}

/**
 * A fixed amount of work like that of the tests: objects and hashes, process starts, requests, rows and files. Machines
 * differ in each by a factor of up to two. Never change it: the budget is a multiple of it.
 */
async function calibrate(): Promise<void> {
  const rows = Array.from({ length: 2_000 }, (_, index) => ({
    id: `row-${String((index * 7_919) % 10_007)}`,
    text: `some text of row ${String(index)} with words, numbers ${String(index * 31)} and "quotes"`,
    nested: { list: [index, index + 1, index + 2], flag: index % 3 === 0 },
  }));
  for (let round = 0; round < 20; round += 1) {
    const copy = JSON.parse(JSON.stringify(rows)) as typeof rows;
    copy.sort((one, other) => (one.id < other.id ? -1 : 1));
    const texts = copy.map((row) => row.text.replaceAll(/(\w+) (\d+)/g, '$2 $1'));
    createHash('sha256').update(texts.join('\n')).digest();
  }
  for (let start = 0; start < 6; start += 1) spawnSync(process.execPath, ['--eval', 'require("node:http")']);
  const server = createServer((request, response) => void request.pipe(response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/`;
  for (let request = 0; request < 200; request += 1) {
    await (await fetch(url, { method: 'POST', body: JSON.stringify({ request, text: 'x'.repeat(2_000) }) })).text();
  }
  server.closeAllConnections();
  server.close();
  const folder = mkdtempSync(join(tmpdir(), 'toolyard-calibration-'));
  const database = new DatabaseSync(join(folder, 'rows.db'));
  database.exec(
    'PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; CREATE TABLE rows (id INTEGER PRIMARY KEY, text)',
  );
  const insert = database.prepare('INSERT INTO rows (text) VALUES (?)');
  for (let row = 0; row < 3_000; row += 1) insert.run(`text of row ${String(row)} `.repeat(10));
  database.close();
  for (let file = 0; file < 200; file += 1) writeFileSync(join(folder, `${String(file)}.txt`), 'text\n'.repeat(100));
  rmSync(folder, { recursive: true });
}

if (import.meta.main) {
  await calibrate();
  process.stdout.write(String(cpuSeconds()));
}
