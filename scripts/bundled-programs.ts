import type { Plugin } from 'vitest/config';
import { PROGRAMS_VARIABLE } from '../testing/src/processes.ts';

const STARTS_THREAD = '/packages/storage/src/reader/create-reader.ts';
const THREAD = "'./reader-thread.ts'";
const DATE_SERVER = "import.meta.resolve('@toolyard/server-date/bin')";

/**
 * A Vitest plugin that makes tests start the reader thread of the storage and the date server from the bundled programs.
 * From sources, each start loads fifty files and strips their types, which costs as much as 0.5 s of CPU time.
 */
export function bundledPrograms(): Plugin {
  return {
    name: 'bundled-programs',
    // Before types are stripped, which can change quotes.
    enforce: 'pre',
    transform(code, id) {
      if (code.includes(DATE_SERVER)) return code.replaceAll(DATE_SERVER, bundle('servers/date/src/bin.js'));
      if (!id.endsWith(STARTS_THREAD)) return null;
      if (!code.includes(THREAD)) throw new Error(`${id} no longer names ${THREAD}: adapt scripts/bundled-programs.ts`);
      return code.replace(THREAD, bundle('reader-thread.js'));
    },
  };
}

/** An expression for the URL of a bundled program. */
function bundle(path: string): string {
  return `('file://' + process.env['${PROGRAMS_VARIABLE}'] + '/${path}')`;
}
