import { isJsonObject } from '@toolyard/protocol';
import { readBalanced } from '../core/balance.ts';
import { parseLiteral } from '../core/literal.ts';
import { READER_DONE } from '../core/block.ts';
import type { BlockReader } from '../core/opening.ts';
import { readExactly, readName, readMarker, readUntil, skipBlanks } from '../core/reading.ts';
import { NO_CHARACTER } from '../core/source.ts';
import { rewindToHiddenEnd } from '../core/arguments.ts';
import { CLOSE_BRACE, OPEN_BRACE } from '../core/codes.ts';

/** Reads `call:f{key:<|"|>text<|"|>,n:3}`: bare keys, strings between a token that occurs in no text. */
export function bracesCalls({ delimiter, end }: { delimiter: string; end: string }): BlockReader {
  return function* (block) {
    const { source } = block;
    for (;;) {
      const code = yield* skipBlanks(source);
      const from = source.position;
      if (code === NO_CHARACTER || (yield* readMarker(source, [end])) !== null) return block.finish();
      const isCall = yield* readExactly(source, 'call:');
      if (!isCall && block.found > 0) {
        source.seek(from);
        return READER_DONE;
      }
      const name = isCall ? yield* readName(source, (next) => next !== OPEN_BRACE && next > 32) : null;
      const body = source.position;
      let reason: string | null = null;
      let isCut = false;
      if (name !== null && name !== '' && source.peek() === OPEN_BRACE) {
        source.advance();
        const balance = yield* readBalanced(source, [CLOSE_BRACE], { delimiter });
        const args = balance === 'closed' ? parse(source.text(body, source.position), delimiter) : null;
        source.examined += source.position - body;
        if (args !== null) {
          block.call(name, args);
          continue;
        }
        isCut = balance === 'cut';
        reason = isCut ? 'the call is cut off' : `the arguments of "${name}" are malformed`;
      }
      if (isCut || !rewindToHiddenEnd(source, from, { ends: [end], starts: [] })) {
        const stop = yield* readUntil(source, [end]);
        if (stop !== null) source.seek(stop.at);
      }
      block.malformed(reason ?? 'it is not a call', from);
    }
  };
}

function parse(text: string, delimiter: string): ReturnType<typeof asObject> {
  return asObject(parseLiteral(text, { delimiter, bareWords: true }));
}

function asObject(value: unknown) {
  return isJsonObject(value) ? value : null;
}
