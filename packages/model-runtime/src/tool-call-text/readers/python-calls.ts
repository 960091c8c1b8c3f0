import { READER_DONE } from '../core/block.ts';
import type { BlockReader } from '../core/opening.ts';
import { readMarker, readUntil, skipBlanks } from '../core/reading.ts';
import { readPythonCall, type PythonCall } from '../core/python-call.ts';
import { NO_CHARACTER } from '../core/source.ts';
import { rewindToHiddenEnd } from '../core/arguments.ts';
import { jsonBlock } from './json-block.ts';
import { CLOSE_BRACKET, COMMA, OPEN_BRACE, OPEN_BRACKET, SEMICOLON } from '../core/codes.ts';

const SEPARATORS = new Set([COMMA, SEMICOLON, OPEN_BRACKET, CLOSE_BRACKET]);

/** Delimiters of a marked block of Python-style calls, and whether prose may follow its marker. */
export type PythonBlockOptions = { start: string; ends: readonly string[]; otherwise: 'text' | 'malformed' };

/**
 * Reads a marked block of Python-style calls: `[f(a='x'), g()]`, or one call per line without the list. Some models
 * write JSON there instead.
 */
export function pythonBlock({ start, ends, otherwise }: PythonBlockOptions): BlockReader {
  const json = jsonBlock({ ends, otherwise });
  return function* (block) {
    const { source } = block;
    let afterLast = block.body;
    for (;;) {
      const code = yield* skipBlanks(source);
      const at = source.position;
      if (code === NO_CHARACTER) return block.finish('the call is cut off');
      if ((yield* readMarker(source, ends)) !== null) return block.finish();
      if (code === OPEN_BRACE && block.found === 0) return yield* json(block);
      if (SEPARATORS.has(code)) {
        source.advance();
        if (code === CLOSE_BRACKET) afterLast = source.position;
        continue;
      }
      const call = yield* readPythonCall(source);
      if (call.kind === 'call') {
        block.call(call.name, call.arguments);
        afterLast = source.position;
        continue;
      }
      if (call.kind === 'none' && block.found === 0 && otherwise === 'text') return { type: 'text', upTo: block.body };
      if (rewindToHiddenEnd(source, at, { ends, starts: [start] })) {
        block.malformed(`the call of "${getName(call)}" is malformed`, at);
        continue;
      }
      const stop = yield* readUntil(source, ends);
      if (stop === null && call.kind === 'none' && block.found > 0) {
        source.seek(afterLast);
        return READER_DONE;
      }
      const reason = stop === null ? 'the call is cut off' : `the call of "${getName(call)}" is malformed`;
      return block.malformed(reason, at, stop?.at);
    }
  };
}

function getName(call: PythonCall): string {
  return call.kind === 'none' ? '' : call.name.slice(0, 80);
}

/** Reads the bare list `[f(a='x'), g()]`. It counts only if it is complete and every name is an offered tool. */
export const bareCallList: BlockReader = function* (block) {
  const { source, tools } = block;
  const calls: { name: string; arguments: Parameters<typeof block.call>[1] }[] = [];
  for (;;) {
    yield* skipBlanks(source);
    const call = yield* readPythonCall(source);
    if (call.kind === 'cut' && tools.has(call.name)) return block.malformed('the call is cut off', block.start);
    if (call.kind === 'cut') return { type: 'text', upTo: source.position };
    if (call.kind !== 'call' || !tools.offers(call.name)) break;
    calls.push(call);
    const code = yield* skipBlanks(source);
    if (code === NO_CHARACTER) {
      if (!tools.has(call.name)) break;
      return block.malformed('the list of calls is cut off', block.start);
    }
    source.advance();
    if (code === COMMA) continue;
    if (code !== CLOSE_BRACKET) break;
    for (const { name, arguments: args } of calls) block.call(name, args);
    return READER_DONE;
  }
  return { type: 'text', upTo: block.nextMarker(block.body) };
};
