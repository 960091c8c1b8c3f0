import type { Fetch } from '@toolyard/protocol';
import { ToolyardError, say } from '@toolyard/protocol';
import { withBody } from './with-body.ts';

/** Default of the longest message a server may send, in bytes. */
export const MAX_MESSAGE_BYTES = 64 * 1_024 * 1_024;

const NEWLINE = 0x0a;
const RETURN = 0x0d;

/** A fetch whose response fails when one message in it exceeds the limit. */
export function limitMessages(fetch: Fetch, longest: number): Fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    if (response.body === null || isKnownToFit(response.headers, longest)) return response;
    const isStream = response.headers.get('content-type')?.includes('text/event-stream') === true;
    return withBody(response, response.body.pipeThrough(limiter(longest, isStream)));
  };
}

/** A compressed body may have any size after decompression. */
function isKnownToFit(headers: Headers, longest: number): boolean {
  const length = headers.get('content-length');
  return length !== null && !headers.has('content-encoding') && Number(length) <= longest;
}

/** In an event stream each event counts separately; an empty line ends it. */
function limiter(longest: number, isStream: boolean): TransformStream<Uint8Array, Uint8Array> {
  let length = 0;
  let isLineEmpty = true;
  return new TransformStream({
    transform(chunk, controller) {
      if (!isStream) length += chunk.length;
      else {
        for (const byte of chunk) {
          if (byte === RETURN) continue;
          length = byte === NEWLINE && isLineEmpty ? 0 : length + 1;
          isLineEmpty = byte === NEWLINE;
          // One chunk may contain the end of the message too.
          if (length > longest) break;
        }
      }
      if (length > longest) controller.error(createTooLongError(longest));
      else controller.enqueue(chunk);
    },
  });
}

function createTooLongError(longest: number): ToolyardError {
  return new ToolyardError({
    code: 'too_large',
    message: say`The server sent a message of more than ${Math.round(longest / 1_048_576)} MB, which exceeds the limit.`,
  });
}
