import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { cpuSeconds } from './cpu.ts';

/**
 * A fixed amount of work like that of the tests: objects, text and hashes; process starts; requests over loopback; rows
 * and files. Machines differ in each of these by a factor of up to two; dividing a cost by the cost of this work makes
 * machines comparable. Never change it: the budget is a multiple of it.
 */
async function calibrationWork(): Promise<void> {
  computes();
  startsProcesses();
  await sendsRequests();
  storesRows();
}

function computes(): void {
  const rows = Array.from({ length: 2_000 }, (_, index) => ({
    id: `row-${String((index * 7_919) % 10_007)}`,
    text: `some text of row ${String(index)} with words, numbers ${String(index * 31)} and "quotes"`,
    nested: { list: [index, index + 1, index + 2], flag: index % 3 === 0 },
  }));
  for (let round = 0; round < 20; round += 1) {
    const copy = JSON.parse(JSON.stringify(rows)) as typeof rows;
    copy.sort((one, other) => (one.id < other.id ? -1 : 1));
    const texts = copy.map(({ text }) => text.replaceAll(/(\w+) (\d+)/g, '$2 $1'));
    createHash('sha256').update(texts.join('\n')).digest();
  }
}

function startsProcesses(): void {
  for (let start = 0; start < 6; start += 1) spawnSync(process.execPath, ['--eval', 'require("node:http")']);
}

async function sendsRequests(): Promise<void> {
  const server = createServer((request, response) => void request.pipe(response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/`;
  for (let request = 0; request < 200; request += 1) {
    await (await fetch(url, { method: 'POST', body: JSON.stringify({ request, text: 'x'.repeat(2_000) }) })).text();
  }
  server.closeAllConnections();
  server.close();
}

function storesRows(): void {
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
  await calibrationWork();
  process.stdout.write(String(cpuSeconds()));
}
