import { readFile, writeFile } from 'node:fs/promises';
import { extname, resolve } from 'node:path';
import { ToolyardError } from '@toolyard/protocol';
import type { CommandIo } from '../../command-io.ts';

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

/** Media from outside: bytes and what they are. */
export type ReadMedia = { mimeType: string; data: Uint8Array<ArrayBuffer> };

/**
 * A file, or stdin for `-`. Its type is what was said, else by its name.
 *
 * @throws ToolyardError where it is not there, or nobody says what it is
 */
export async function readMedia(io: CommandIo, file: string, saidType?: string): Promise<ReadMedia> {
  const mimeType = saidType ?? TYPES[extname(file).toLowerCase()];
  if (mimeType === undefined) {
    throw new ToolyardError({
      code: 'bad_request',
      message: `The name of ${file === '-' ? 'stdin' : file} does not tell what kind of picture or sound it is.`,
      hint:
        file === '-' ? 'Say it with --type, such as --type audio/wav.' : `Known are ${Object.keys(TYPES).join(', ')}.`,
    });
  }
  return { mimeType, data: new Uint8Array(file === '-' ? await readStdin(io) : await readBytes(io, file)) };
}

/** The text of an argument; without one, or for `-`, that of stdin. @throws ToolyardError where it is empty */
export async function readText(io: CommandIo, argument: string | undefined): Promise<string> {
  const text = argument === undefined || argument === '-' ? (await readStdin(io)).toString('utf8').trim() : argument;
  if (text.trim() !== '') return text;
  throw new ToolyardError({ code: 'bad_request', message: 'The text is empty.', hint: 'Give it, or pipe it in.' });
}

/** @throws ToolyardError where it is not there */
export async function readBytes({ cwd }: CommandIo, file: string): Promise<Buffer> {
  try {
    return await readFile(resolve(cwd, file));
  } catch (thrown) {
    throw unusable(file, 'read', thrown);
  }
}

/** @throws ToolyardError where it cannot be written */
export async function writeBytes({ cwd }: CommandIo, file: string, data: Uint8Array): Promise<void> {
  try {
    await writeFile(resolve(cwd, file), data);
  } catch (thrown) {
    throw unusable(file, 'written', thrown);
  }
}

/** Bytes to stdout. @throws ToolyardError where a person would get them onto the screen */
export async function writeToStdout({ stdout }: CommandIo, data: Uint8Array): Promise<void> {
  if (stdout.isTTY) {
    throw new ToolyardError({
      code: 'bad_request',
      message: 'This is no text: a terminal cannot show it.',
      hint: 'Name a file with --output.',
    });
  }
  await new Promise<void>((done, fail) => {
    stdout.write(data, (error) => (error ? fail(error) : done()));
  });
}

async function readStdin({ stdin }: CommandIo): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of stdin) pieces.push(Buffer.from(piece as Uint8Array));
  return Buffer.concat(pieces);
}

function unusable(file: string, what: 'read' | 'written', thrown: unknown): ToolyardError {
  const code = thrown instanceof Error && 'code' in thrown ? String(thrown.code) : 'unknown';
  return new ToolyardError({
    code: 'bad_request',
    message:
      code === 'ENOENT' && what === 'read' ? `There is no file ${file}.` : `${file} cannot be ${what} (${code}).`,
  });
}
