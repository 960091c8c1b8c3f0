import { createHash, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Set by `npm run coverage`: the folder to which every process writes its coverage. */
export const COVERAGE_VARIABLE = 'TOOLYARD_COVERAGE';

/** Ranges of one function of a script, as V8 reports them: offsets in UTF-16 units of the code that ran. */
type FunctionCoverage = { ranges: { startOffset: number; endOffset: number; count: number }[] };

/** Coverage of one script. `source`: the file in `sources` with its code, if no other file has it. */
export type ScriptCoverage = { url: string; functions: FunctionCoverage[]; source?: string };

/** The fields of the NODE_V8_COVERAGE format that are read here. */
export type CoverageRecord = { result: ScriptCoverage[] };

/** `node`: written by Node itself (NODE_V8_COVERAGE); `scripts`: by `writeRecord`; `sources`: code the latter refer to. */
export function foldersOf(folder: string): { node: string; scripts: string; sources: string } {
  return { node: join(folder, 'node'), scripts: join(folder, 'scripts'), sources: join(folder, 'sources') };
}

/** Writes coverage of scripts whose code is not in a file, or in a temporary one. */
export function writeRecord(
  folder: string,
  scripts: readonly { url: string; functions: FunctionCoverage[]; code: string }[],
): void {
  if (scripts.length === 0) return;
  const folders = foldersOf(folder);
  mkdirSync(folders.scripts, { recursive: true });
  mkdirSync(folders.sources, { recursive: true });
  const result = scripts.map(({ url, functions, code }): ScriptCoverage => {
    const source = `${createHash('sha256').update(code).digest('hex')}.js`;
    const path = join(folders.sources, source);
    if (!existsSync(path)) writeFileSync(path, code);
    return { url, functions: functions.map(({ ranges }) => ({ ranges })), source };
  });
  writeFileSync(join(folders.scripts, `${randomUUID()}.json`), JSON.stringify({ result } satisfies CoverageRecord));
}
