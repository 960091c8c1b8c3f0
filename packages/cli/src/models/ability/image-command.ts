import { extname } from 'node:path';
import type { ImagePart } from '@toolyard/protocol';
import { defined, ToolyardError } from '@toolyard/protocol';
import type { CommandIo } from '../../command-io.ts';
import { EXIT } from '../../exit.ts';
import { exitOnClosedPipe } from '../../closed-pipe.ts';
import { readMedia, readText, writeBytes, writeToStdout } from './files.ts';
import type { AbilityFlags, ImageFlags } from './flags.ts';
import { cannot, openModel } from './open-model.ts';

/** `toolyard model image`: into a file, several numbered ones, or stdout; their names are told on stderr. */
export async function imageCommand(
  io: CommandIo,
  argument: string | undefined,
  flags: AbilityFlags & ImageFlags,
): Promise<number> {
  exitOnClosedPipe(io);
  const { count, output, size } = flags;
  if ((count ?? 1) > 1 && output === undefined && !flags.json) {
    throw new ToolyardError({
      code: 'bad_request',
      message: 'Several pictures do not fit into one stream.',
      hint: 'Name a file with --output; they are numbered.',
    });
  }
  const prompt = await readText(io, argument);
  const images = await Promise.all(flags.from.map(async (file) => asPart(await readMedia(io, file))));
  await using opened = await openModel(io, flags);
  const { runtime, model } = opened;
  if (runtime.createImage === undefined) throw cannot(runtime, 'make pictures');
  const made = await runtime.createImage({
    model,
    prompt,
    ...(images.length === 0 ? {} : { images }),
    ...defined({ size, count }),
  });
  if (output !== undefined) {
    for (const [at, image] of made.images.entries()) {
      const file = made.images.length === 1 ? output : numbered(output, at + 1);
      await writeBytes(io, file, bytesOf(image));
      io.stderr.write(`${file}\n`);
    }
  } else if (!flags.json) {
    const [first] = made.images;
    if (first !== undefined) await writeToStdout(io, bytesOf(first));
  }
  if (flags.json) io.stdout.write(`${JSON.stringify({ model, ...made })}\n`);
  return EXIT.done;
}

function asPart({ mimeType, data }: { mimeType: string; data: Uint8Array }): ImagePart {
  return { type: 'image', mimeType, source: { data: Buffer.from(data).toString('base64') } };
}

/** `cat.png` is `cat-1.png`. */
function numbered(file: string, number: number): string {
  const extension = extname(file);
  return `${file.slice(0, file.length - extension.length)}-${number}${extension}`;
}

function bytesOf({ source }: ImagePart): Uint8Array {
  if ('data' in source) return Buffer.from(source.data, 'base64');
  throw new ToolyardError({
    code: 'bad_response',
    message: `The provider put the picture elsewhere: ${'url' in source ? source.url : 'nobody says where'}`,
    hint: 'Fetch it from there, or ask with --json for the whole answer.',
  });
}
