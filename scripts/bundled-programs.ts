import type { ModuleSource } from 'node:module';
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { PROGRAMS_VARIABLE } from '../testing/src/processes.ts';

// Imported by the setup file of Vitest: makes tests start the date server and the worker threads of the packages from the
// bundled programs. From sources, each start loads up to fifty files and strips their types, which costs as much as 0.5 s of
// CPU time.

const DATE_SERVER = '@toolyard/server-date/bin';
/** Modules that start a thread, and the name of its file. */
const STARTS_THREAD = new Map([
  ['/packages/storage/src/reader/create-reader.ts', 'reader-thread'],
  ['/packages/agent-host/src/node/compute-tools.ts', 'script-thread'],
  ['/packages/server/src/built-in/web/extract.ts', 'extract-thread'],
]);

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === DATE_SERVER
      ? { url: bundle('servers/date/src/bin.js'), shortCircuit: true }
      : next(specifier, context),
  load(url, context, next) {
    const loaded = next(url, context);
    const thread = [...STARTS_THREAD].find(([module]) => url.endsWith(module))?.[1];
    if (thread === undefined) return loaded;
    const source = toText(loaded.source);
    const file = `'./${thread}.ts'`;
    if (!source.includes(file)) throw new Error(`${url} no longer names ${file}: adapt scripts/bundled-programs.ts`);
    return { ...loaded, source: source.replace(file, `'${bundle(`${thread}.js`)}'`) };
  },
});

/** The URL of a bundled program. */
function bundle(path: string): string {
  const programs = process.env[PROGRAMS_VARIABLE];
  if (programs === undefined) throw new Error(`${PROGRAMS_VARIABLE} is not set: the global setup of Vitest sets it.`);
  return pathToFileURL(join(programs, path)).href;
}

function toText(source: ModuleSource | undefined): string {
  return source === undefined || typeof source === 'string' ? (source ?? '') : new TextDecoder().decode(source);
}
