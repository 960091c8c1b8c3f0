import type { Plugin } from 'vitest/config';
import { PROGRAMS_VARIABLE } from '../testing/src/processes.ts';

const STARTS_THREAD = '/packages/storage/src/reader/create-reader.ts';
const SOURCE = "'./reader-thread.ts'";
const BUNDLE = `'file://' + process.env['${PROGRAMS_VARIABLE}'] + '/reader-thread.js'`;

/**
 * A plugin of vitest: the storage of a test starts its reader thread from the bundle in the folder of programs. From the
 * sources each thread would load fifty files, which takes up to half a second of CPU time.
 */
export function bundledReaderThread(): Plugin {
  return {
    name: 'bundled-reader-thread',
    // Before types are removed, which may change quotes.
    enforce: 'pre',
    transform(code, id) {
      if (!id.endsWith(STARTS_THREAD)) return null;
      if (!code.includes(SOURCE)) throw new Error(`${id} no longer names ${SOURCE}: adapt scripts/reader-thread.ts`);
      return code.replace(SOURCE, BUNDLE);
    },
  };
}
