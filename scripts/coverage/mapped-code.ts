import { decodedMappings, TraceMap } from '@jridgewell/trace-mapping';
import type { ScriptCoverage } from './record.ts';
import type { Universe } from './universe.ts';

/**
 * Sorted `offsets` in generated code, and the source statement of each. A statement was executed if any offset was
 * executed that maps to it and to no statement within it.
 */
export type MappedCode = { offsets: number[]; statements: number[] };

/** Code that Node runs from source, with types replaced by spaces. */
export function unmapped(file: string, code: string, universe: Universe): MappedCode {
  const mapped: MappedCode = { offsets: [], statements: [] };
  for (const { index } of code.matchAll(/[\w$]+|\S/g)) {
    const statement = universe.at(file, index);
    if (statement >= 0) add(mapped, index, statement);
  }
  return mapped;
}

/**
 * Code that was transformed or bundled.
 *
 * @param prefix length of the text before the mapped code, in its first line
 * @param fileOf path from the root of a source of the map; null for sources outside of the repository
 */
export function mappedCode(
  code: string,
  map: string,
  universe: Universe,
  fileOf: (source: string) => string | null,
  prefix = 0,
): MappedCode {
  const trace = new TraceMap(map);
  const files = trace.sources.map((source) => (source === null ? null : fileOf(source)));
  const mapped: MappedCode = { offsets: [], statements: [] };
  let lineStart = prefix;
  for (const line of decodedMappings(trace)) {
    for (const segment of line) {
      if (segment.length === 1) continue;
      const [column, source, originalLine, originalColumn] = segment;
      const file = files[source];
      if (file == null) continue;
      const statement = universe.atPosition(file, originalLine, originalColumn);
      if (statement >= 0) add(mapped, lineStart + column, statement);
    }
    const end = code.indexOf('\n', lineStart);
    if (end < 0) break;
    lineStart = end + 1;
  }
  return mapped;
}

function add(mapped: MappedCode, offset: number, statement: number): void {
  mapped.offsets.push(offset);
  mapped.statements.push(statement);
}

/** Marks every executed statement. */
export function markCovered(mapped: MappedCode, functions: ScriptCoverage['functions'], covered: Uint8Array): void {
  const ranges = functions.flatMap((one) => one.ranges);
  // The sort is stable: of two ranges over the same code, V8 reports the outer one first.
  ranges.sort((a, b) => a.startOffset - b.startOffset || b.endOffset - a.endOffset);
  const open: typeof ranges = [];
  let next = 0;
  for (const [index, offset] of mapped.offsets.entries()) {
    for (let range = ranges[next]; range !== undefined && range.startOffset <= offset; range = ranges[next]) {
      while ((open.at(-1)?.endOffset ?? Infinity) <= range.startOffset) open.pop();
      open.push(range);
      next += 1;
    }
    while ((open.at(-1)?.endOffset ?? Infinity) <= offset) open.pop();
    const statement = mapped.statements[index];
    if (statement !== undefined && (open.at(-1)?.count ?? 0) > 0) covered[statement] = 1;
  }
}
