import type { IncomingMessage } from 'node:http';
import { parse as parseLeniently, type ParseError } from 'jsonc-parser';
import type { JsonValue, AnyText } from '@toolyard/protocol';
import { parseJson, say } from '@toolyard/protocol';
import { refusal } from '../problems.ts';

const MAX_JSON_BYTES = 1024 * 1024;
export const MAX_FILE_BYTES = 20 * 1024 * 1024;

/** Deeper JSON could exhaust the stack of recursive code; no route needs it. */
const MAX_DEPTH = 100;

/** The media type of a body without parameters, in lower case; empty if absent. */
export function getContentType(incoming: IncomingMessage): string {
  return (incoming.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

/** @throws ProblemAnswer 413 as soon as the limit is exceeded, 400 for invalid JSON */
export async function readJsonBody(incoming: IncomingMessage, limit = MAX_JSON_BYTES): Promise<JsonValue> {
  return parseJsonBytes(await readBodyBytes(incoming, limit), 'the body');
}

/**
 * @param subject what the bytes are, for errors
 * @throws ProblemAnswer 400 for invalid JSON, with its place
 */
export function parseJsonBytes(bytes: Uint8Array, subject: 'the body' | 'the file' | 'the character card'): JsonValue {
  const text = decode(bytes, subject);
  const name = `T${subject.slice(1)}`;
  if (text.trim() === '') throw createBadRequestError(`${name} is empty; JSON is required.`);
  if (measureDepth(text) > MAX_DEPTH)
    throw createBadRequestError(`The JSON of ${subject} is nested more than ${MAX_DEPTH} levels deep.`);
  const parsed = parseJson(text);
  if (!parsed.ok) throw createBadRequestError(`Invalid JSON in ${subject} at ${placeOfFault(text)}.`);
  return parsed.value;
}

/** @throws ProblemAnswer 413 as soon as the limit is exceeded */
export function readBodyBytes(incoming: IncomingMessage, limit: number): Promise<Buffer<ArrayBuffer>> {
  if (Number(incoming.headers['content-length'] ?? 0) > limit) return Promise.reject(tooLarge(limit));
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const onData = (chunk: Buffer): void => {
      size += chunk.length;
      if (size > limit) settle(() => reject(tooLarge(limit)));
      else chunks.push(chunk);
    };
    const onEnd = (): void => settle(() => resolve(Buffer.concat(chunks)));
    const onGone = (): void =>
      settle(() => reject(createBadRequestError('The connection closed before the body was complete.')));
    function settle(finish: () => void): void {
      incoming.off('data', onData).off('end', onEnd).off('error', onGone).off('close', onGone);
      incoming.pause();
      finish();
    }
    incoming.on('data', onData).on('end', onEnd).on('error', onGone).on('close', onGone);
  });
}

function tooLarge(limit: number) {
  return refusal(
    { code: 'too_large', message: say`The body exceeds the limit of ${limit / (1024 * 1024)} MB.` },
    // The rest of the body is not read, so the connection cannot be reused.
    { headers: { connection: 'close' } },
  );
}

function decode(bytes: Uint8Array, subject: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw createBadRequestError(`T${subject.slice(1)} is not valid UTF-8 text.`);
  }
}

function measureDepth(text: string): number {
  let depth = 0;
  let deepest = 0;
  let inString = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (inString) {
      if (code === 0x5c) at++;
      else if (code === 0x22) inString = false;
    } else if (code === 0x22) inString = true;
    else if (code === 0x7b || code === 0x5b) deepest = Math.max(deepest, ++depth);
    else if (code === 0x7d || code === 0x5d) depth--;
  }
  return deepest;
}

/** For some errors the message of the engine has no position. */
function placeOfFault(text: string): string {
  const errors: ParseError[] = [];
  parseLeniently(text, errors, { disallowComments: true });
  const before = text.slice(0, errors[0]?.offset ?? text.length);
  const line = before.split('\n').length;
  const column = before.length - before.lastIndexOf('\n');
  return `line ${line}, column ${column}`;
}

function createBadRequestError(message: AnyText) {
  return refusal({ code: 'bad_request', message });
}
