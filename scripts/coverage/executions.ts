import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PAGE } from '../packages.ts';
import type { MappedCode } from './mapped-code.ts';
import { mappedCode, markCovered, unmapped } from './mapped-code.ts';
import type { CoverageRecord, ScriptCoverage } from './record.ts';
import { foldersOf } from './record.ts';
import type { Universe } from './universe.ts';
import { pathFrom } from './universe.ts';

/** `broken`: number of truncated records, of processes killed while writing. */
export type Executions = { covered: Uint8Array; records: number; broken: number };

/** The wrapper that Vitest adds to a module. */
const VITEST_WRAPPER = /^'use strict';async \([^)]*\)=>\{\{/;
const INLINE_MAP = /^\/\/# sourceMappingURL=data:application\/json;(?:charset=utf-8;)?base64,(\S+)$/gm;
/** Folder of the page's source maps, whose paths are relative to it. */
const BUILT_PAGE = join(PAGE, '.svelte-kit/output/client');

/** Statements executed by any of the processes and pages that wrote to the folder. */
export function readExecutions(root: string, folder: string, universe: Universe): Executions {
  const executions = { covered: new Uint8Array(universe.statements.length), records: 0, broken: 0 };
  const { node, scripts } = foldersOf(folder);
  const known = new Map<string, MappedCode | null>();
  for (const path of [...filesIn(node), ...filesIn(scripts)]) {
    const record = readRecord(path);
    if (record === null) executions.broken += 1;
    else executions.records += 1;
    for (const script of record?.result ?? []) {
      const key = `${script.source ?? ''} ${script.url}`;
      let mapped = known.get(key);
      if (mapped === undefined) known.set(key, (mapped = mapScript(root, folder, script, universe)));
      if (mapped !== null) markCovered(mapped, script.functions, executions.covered);
    }
  }
  return executions;
}

function filesIn(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];
}

function readRecord(path: string): CoverageRecord | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as CoverageRecord;
  } catch {
    return null;
  }
}

/** Null if it contains no code of the repository. */
function mapScript(
  root: string,
  folder: string,
  { url, source }: ScriptCoverage,
  universe: Universe,
): MappedCode | null {
  const path = pathOf(root, url);
  if (path === null) return null;
  const file = pathFrom(root, path);
  const recorded = source === undefined ? null : readFileSync(join(foldersOf(folder).sources, source), 'utf8');
  if (recorded === null && (!path.startsWith(root) || path.includes('/node_modules/') || !existsSync(path)))
    return null;
  const code = recorded ?? readFileSync(path, 'utf8');
  const beside = existsSync(`${path}.map`) ? readFileSync(`${path}.map`, 'utf8') : undefined;
  const map = inlineMap(code) ?? beside;
  const prefix = VITEST_WRAPPER.exec(code)?.[0].length ?? 0;
  if (map === undefined) {
    if (prefix > 0)
      throw new Error(`The record of ${url} has no source map: its offsets are those of transformed code.`);
    return universe.has(file) ? unmapped(file, code, universe) : null;
  }
  return mappedCode(code, map, universe, (of) => sourceFile(root, dirname(path), of, universe), prefix);
}

function inlineMap(code: string): string | undefined {
  const encoded = [...code.matchAll(INLINE_MAP)].at(-1)?.[1];
  return encoded === undefined ? undefined : Buffer.from(encoded, 'base64').toString('utf8');
}

/** The file of a script; for scripts of the page, the file that was served. */
function pathOf(root: string, url: string): string | null {
  if (url.startsWith('file://')) return fileURLToPath(url.replace(/[?#].*$/, ''));
  if (/^https?:/.test(url)) return join(root, BUILT_PAGE, new URL(url).pathname);
  return isAbsolute(url) ? url.replace(/\?.*$/, '') : null;
}

function sourceFile(root: string, folder: string, source: string, universe: Universe): string | null {
  const plain = source.replace(/^file:\/\//, '').replace(/\?.*$/, '');
  const file = pathFrom(root, resolve(folder, plain));
  if (universe.has(file)) return file;
  // Built in a folder that was moved or deleted: match the end of the path.
  const end = /(?:^|\/)((?:packages|servers)\/.+)$/.exec(plain)?.[1];
  return end !== undefined && universe.has(end) ? end : null;
}
