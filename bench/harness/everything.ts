import { createRequire } from 'node:module';

/** How server-everything is started, the same for all. */
export const EVERYTHING = {
  command: process.execPath,
  args: [createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/dist/index.js'), 'stdio'],
};
