import { stdout } from 'node:process';
import { systemClock } from '@toolyard/protocol';
import { createFailpoints, killThisProcess } from '@toolyard/testing';
import type { StorageLocation } from '../copy/copy-storage.ts';
import { copyStorage } from '../copy/copy-storage.ts';

/** Runs a copy and is killed at a failpoint: `node copying-process.ts <from> <to> <place> <hit>`. */
const [from = '', to = '', place = '', hit = '1'] = process.argv.slice(2);
const failpoint = createFailpoints();
failpoint.at(place, killThisProcess, { hit: Number(hit) });
await copyStorage(toLocation(from), toLocation(to), { clock: systemClock, failpoint });
stdout.write('survived\n');

function toLocation(text: string): StorageLocation {
  return text.includes('://') ? { url: text } : { folder: text };
}
