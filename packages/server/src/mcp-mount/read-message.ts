import { parseJson } from '@toolyard/protocol';
import { PARSE_ERROR, REFUSED, refuse } from './refusals.ts';

/**
 * Reads what was posted, up to a limit, so that both eras look at the same.
 *
 * @returns the JSON that was sent, or the refusal of it
 */
export async function readMessage(
  request: Request,
  maxBytes: number,
): Promise<{ message: unknown } | { refusal: Response }> {
  const tooLarge = { refusal: refuse(413, REFUSED, `The request is larger than ${maxBytes} bytes.`) };
  if (!isJson(request.headers.get('content-type'))) {
    return { refusal: refuse(415, REFUSED, 'The request must be JSON: send Content-Type: application/json.') };
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
    return { refusal: refuse(400, PARSE_ERROR, 'The request broke off.') };
  }
  const parsed = parseJson(Buffer.concat(pieces).toString('utf8'));
  return parsed.ok ? { message: parsed.value } : { refusal: refuse(400, PARSE_ERROR, 'The request is not JSON.') };
}

function isJson(type: string | null): boolean {
  return type?.split(';')[0]?.trim().toLowerCase() === 'application/json';
}
