import { extname } from 'node:path';
import type { ImagePart } from '@toolyard/protocol';
import { defined, ToolyardError } from '@toolyard/protocol';
import type { CommandIo } from '../../command-io.ts';
import { EXIT } from '../../exit.ts';
import { exitOnClosedPipe } from '../../closed-pipe.ts';
import { readMedia, readText, writeBytes, writeToStdout } from './files.ts';
import type { AbilityFlags, ImageFlags } from './flags.ts';
import { createUnsupportedError, openModel } from './open-model.ts';
import { createRequestError } from '../../errors.ts';

/** `toolyard model image`: writes a file, numbered files, or stdout; prints the file names on stderr. */
export async function imageCommand(
  io: CommandIo,
  argument: string | undefined,
  flags: AbilityFlags & ImageFlags,
): Promise<number> {
  exitOnClosedPipe(io);
  const { count, output, size } = flags;
  if ((count ?? 1) > 1 && output === undefined && !flags.json) {
    throw createRequestError(
      'Cannot write more than one image to stdout.',
      'Name a file with --output; Toolyard numbers the files.',
    );
  }
  const prompt = await readText(io, argument);
  const images = await Promise.all(flags.from.map(async (file) => imagePart(await readMedia(io, file))));
  await using opened = await openModel(io, flags);
  const { runtime, model } = opened;
  if (runtime.createImage === undefined) throw createUnsupportedError(runtime, 'generate images');
  const response = await runtime.createImage({
    model,
    prompt,
    ...(images.length === 0 ? {} : { images }),
    ...defined({ size, count }),
  });
  if (output !== undefined) {
    for (const [at, image] of response.images.entries()) {
      const file = response.images.length === 1 ? output : numbered(output, at + 1);
      await writeBytes(io, file, toBytes(image));
      io.stderr.write(`${file}\n`);
    }
  } else if (!flags.json) {
    const [first] = response.images;
    if (first !== undefined) await writeToStdout(io, toBytes(first));
  }
  if (flags.json) io.stdout.write(`${JSON.stringify({ model, ...response })}\n`);
  return EXIT.done;
}

function imagePart({ mimeType, data }: { mimeType: string; data: Uint8Array }): ImagePart {
  return { type: 'image', mimeType, source: { data: Buffer.from(data).toString('base64') } };
}

/** `cat.png` becomes `cat-1.png`. */
function numbered(file: string, number: number): string {
  const extension = extname(file);
  return `${file.slice(0, file.length - extension.length)}-${number}${extension}`;
}

function toBytes({ source }: ImagePart): Uint8Array {
  if ('data' in source) return Buffer.from(source.data, 'base64');
  throw new ToolyardError({
    code: 'bad_response',
    message: `The provider returned a reference instead of image data: ${'url' in source ? source.url : 'without a URL'}`,
    hint: 'Download it from there, or print the whole response with --json.',
  });
}
