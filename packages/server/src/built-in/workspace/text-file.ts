import type { FileHandle } from 'node:fs/promises';
import { createToolFailedError } from './workspace-path.ts';

const MAX_BYTES = 5 * 1024 * 1024;

/** @throws ToolyardError `tool_failed` for a file that is large or not text */
export async function readText(handle: FileHandle, path: string): Promise<string> {
  const { size } = await handle.stat();
  if (size > MAX_BYTES) throw createToolFailedError(`${path} has ${size} bytes; at most ${MAX_BYTES} are read.`);
  const bytes = Buffer.alloc(size);
  const { bytesRead } = await handle.read(bytes, 0, size, 0);
  return decodeText(bytes.subarray(0, bytesRead), path);
}

/** @throws ToolyardError `tool_failed` for bytes that are not text */
export function decodeText(bytes: Uint8Array, path: string): string {
  if (bytes.includes(0)) throw createToolFailedError(`${path} is not a text file.`);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw createToolFailedError(`${path} is not UTF-8 text.`);
  }
}

/** Lines that a model reads at once, and their characters. */
export const MAX_LINES = 2_000;
const MAX_LENGTH = 60_000;

/** A part of a text by lines, with a note if there is more; `path` names it. */
export function formatLines(text: string, path: string, line = 1, lines: number = MAX_LINES): string {
  const all = text.split('\n');
  const part = all.slice(line - 1, line - 1 + lines).join('\n');
  const shown = part.slice(0, MAX_LENGTH);
  const last = line - 1 + shown.split('\n').length;
  const more = last < all.length || shown.length < part.length ? `\n[up to line ${last} of ${all.length}]` : '';
  return shown === '' ? `${path} has no text at line ${line} (${all.length} lines).` : shown + more;
}

/** Replaces the content of an open file. */
export async function replaceText(handle: FileHandle, text: string): Promise<void> {
  const bytes = Buffer.from(text, 'utf8');
  await handle.truncate(0);
  for (let at = 0; at < bytes.length;) at += (await handle.write(bytes, at, bytes.length - at, at)).bytesWritten;
  await handle.sync();
}
