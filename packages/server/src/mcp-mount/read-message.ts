import { parseJson } from '@toolyard/protocol';
import { PARSE_ERROR, REFUSED, refuse } from './refusals.ts';

/**
 * Reads the posted message, up to a limit, for both eras.
 *
 * @returns the parsed JSON, or the response that rejects it
 */
export async function readMessage(
  request: Request,
  maxBytes: number,
): Promise<{ message: unknown } | { refusal: Response }> {
  const tooLarge = { refusal: refuse(413, REFUSED, `The request exceeds the limit of ${maxBytes} bytes.`) };
  if (!isJson(request.headers.get('content-type'))) {
    return { refusal: refuse(415, REFUSED, 'Send JSON with Content-Type: application/json.') };
  }
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes) return tooLarge;
  const pieces: Uint8Array[] = [];
  let size = 0;
  try {
    const body: AsyncIterable<Uint8Array> | Uint8Array[] = request.body ?? [];
    for await (const piece of body) {
      size += piece.byteLength;
      if (size > maxBytes) return tooLarge;
      pieces.push(piece);
    }
  } catch {
    return { refusal: refuse(400, PARSE_ERROR, 'The connection closed before the request was complete.') };
  }
  const parsed = parseJson(Buffer.concat(pieces).toString('utf8'));
  return parsed.ok
    ? { message: parsed.value }
    : { refusal: refuse(400, PARSE_ERROR, 'The request is not valid JSON.') };
}

function isJson(type: string | null): boolean {
  return type?.split(';')[0]?.trim().toLowerCase() === 'application/json';
}
