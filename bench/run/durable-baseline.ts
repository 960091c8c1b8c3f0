import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { StartContender } from '../harness/contender.ts';
import { startAgent } from '../loop/contenders/toolyard.ts';
import { makeDataFolder } from '../harness/server.ts';

/**
 * The run in memory with the least that makes it durable: its events are appended to a file, which is forced to the disk
 * before each call and at the end. No database, no HTTP, no reader.
 */
export const start: StartContender = async (setting) => {
  const folder = makeDataFolder();
  const file = openSync(join(folder.path, 'events'), 'a');
  let lines = '';
  const contender = await startAgent(setting, (event) => {
    lines += `${JSON.stringify(event)}\n`;
    if (event.type !== 'tool_started' && event.type !== 'run_finished') return;
    writeSync(file, lines);
    fdatasyncSync(file);
    lines = '';
  });
  return {
    ...contender,
    async close() {
      await contender.close?.();
      closeSync(file);
      folder[Symbol.dispose]();
    },
  };
};
