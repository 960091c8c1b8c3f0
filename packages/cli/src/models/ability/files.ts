import { readFile, writeFile } from 'node:fs/promises';
import { extname, resolve } from 'node:path';
import type { ToolyardError } from '@toolyard/protocol';
import type { CommandIo } from '../../command-io.ts';
import { createRequestError } from '../../errors.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.webp': 'image/webp',
  '.gif': 'image/gif',
  '.mp3': 'audio/mpeg',
  '.wav': 'audio/wav',
  '.m4a': 'audio/mp4',
  '.ogg': 'audio/ogg',
  '.opus': 'audio/ogg',
  '.webm': 'audio/webm',
  '.flac': 'audio/flac',
  '.aac': 'audio/aac',
};

/** Bytes with their media type. */
export type ReadMedia = { mimeType: string; data: Uint8Array<ArrayBuffer> };

/**
 * Reads a file, or stdin for `-`. The media type is `type`, or follows from the file name.
 *
 * @throws ToolyardError if the file cannot be read or its type is unknown
 */
export async function readMedia(io: CommandIo, file: string, type?: string): Promise<ReadMedia> {
  const mimeType = type ?? TYPES[extname(file).toLowerCase()];
  if (mimeType === undefined) {
    throw createRequestError(
      `Unknown media type of ${file === '-' ? 'stdin' : `"${file}"`}.`,
      file === '-'
        ? 'Pass --type, such as --type audio/wav.'
        : `Use a file name with one of ${Object.keys(TYPES).join(', ')}.`,
    );
  }
  return { mimeType, data: new Uint8Array(file === '-' ? await readStdin(io) : await readBytes(io, file)) };
}

/** The argument, or stdin if it is `-` or missing. @throws ToolyardError for empty text */
export async function readText(io: CommandIo, argument: string | undefined): Promise<string> {
  const text = argument === undefined || argument === '-' ? (await readStdin(io)).toString('utf8').trim() : argument;
  if (text.trim() !== '') return text;
  throw createRequestError('The text is empty.', 'Pass it as an argument, or on stdin.');
}

/** @throws ToolyardError if the file cannot be read */
export async function readBytes({ cwd }: CommandIo, file: string): Promise<Buffer> {
  try {
    return await readFile(resolve(cwd, file));
  } catch (thrown) {
    throw createFileError(file, 'read', thrown);
  }
}

/** @throws ToolyardError if the file cannot be written */
export async function writeBytes({ cwd }: CommandIo, file: string, data: Uint8Array): Promise<void> {
  try {
    await writeFile(resolve(cwd, file), data);
  } catch (thrown) {
    throw createFileError(file, 'write', thrown);
  }
}

/** Writes bytes to stdout. @throws ToolyardError if stdout is a terminal */
export async function writeToStdout({ stdout }: CommandIo, data: Uint8Array): Promise<void> {
  if (stdout.isTTY) {
    throw createRequestError(
      'Cannot write binary data to a terminal.',
      'Name a file with --output, or redirect stdout.',
    );
  }
  await new Promise<void>((resolve, reject) => {
    stdout.write(data, (error) => (error ? reject(error) : resolve()));
  });
}

async function readStdin({ stdin }: CommandIo): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stdin) chunks.push(Buffer.from(chunk as Uint8Array));
  return Buffer.concat(chunks);
}

function createFileError(file: string, action: 'read' | 'write', thrown: unknown): ToolyardError {
  const code = thrown instanceof Error && 'code' in thrown ? String(thrown.code) : 'unknown';
  return createRequestError(
    code === 'ENOENT' && action === 'read' ? `File not found: ${file}` : `Cannot ${action} ${file} (${code}).`,
  );
}
