import { READER_DONE, type TextBlock } from '../core/block.ts';
import type { BlockReader } from '../core/opening.ts';
import { isCutOff, readMarker, readUntil, skipBlanks, type TextReading } from '../core/reading.ts';

/** The tokens around calls, each in all its spellings. */
export type CallTokens = {
  /** Ends all calls. */
  callsEnd: readonly string[];
  callBegin: readonly string[];
  callEnd: readonly string[];
};

/**
 * Reads calls between tokens of their own, from after the token of all or of the first. `readCall` reads one from after
 * its first token, and returns the problem of a malformed one.
 */
export function framedCalls(
  { callsEnd, callBegin, callEnd }: CallTokens,
  readCall: (block: TextBlock) => TextReading<string | null>,
): BlockReader {
  const stops = [...callEnd, ...callBegin, ...callsEnd];
  return function* (block) {
    const { source } = block;
    if (callBegin.includes(source.text(block.start, block.body))) source.seek(block.start);
    let afterLast = block.body;
    for (;;) {
      yield* skipBlanks(source);
      const from = source.position;
      const marker = yield* readMarker(source, [...callBegin, ...callsEnd]);
      if (marker === null) {
        if (block.found === 0)
          return (yield* isCutOff(source, callBegin)) ? block.cutOff() : { type: 'text', upTo: block.body };
        source.seek(afterLast);
        return READER_DONE;
      }
      if (callsEnd.includes(marker)) return block.finish();
      const problem = yield* readCall(block);
      if (problem !== null) {
        const stop = yield* readUntil(source, stops);
        if (stop !== null) source.seek(stop.at);
        yield* readMarker(source, callEnd);
        block.malformed(problem, from);
      }
      afterLast = source.position;
    }
  };
}
