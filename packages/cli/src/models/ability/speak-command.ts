import { extname } from 'node:path';
import type { SpeechFormat } from '@toolyard/model-runtime';
import { defined } from '@toolyard/protocol';
import type { CommandIo } from '../../command-io.ts';
import { EXIT } from '../../exit.ts';
import { exitOnClosedPipe } from '../../closed-pipe.ts';
import { readText, writeBytes, writeToStdout } from './files.ts';
import type { AbilityFlags, SpeakFlags } from './flags.ts';
import { createUnsupportedError, openModel } from './open-model.ts';

const FORMATS: readonly SpeechFormat[] = ['mp3', 'wav', 'opus', 'aac', 'flac', 'pcm'];

/** `toolyard model speak`: writes audio to a file or stdout. */
export async function speakCommand(
  io: CommandIo,
  argument: string | undefined,
  flags: AbilityFlags & SpeakFlags,
): Promise<number> {
  exitOnClosedPipe(io);
  const { voice, speed, instructions, output } = flags;
  const format = flags.format ?? FORMATS.find((kind) => extname(output ?? '').toLowerCase() === `.${kind}`);
  const text = await readText(io, argument);
  await using opened = await openModel(io, flags);
  const { runtime, model } = opened;
  if (runtime.textToSpeech === undefined) throw createUnsupportedError(runtime, 'convert text to speech');
  const { mimeType, data } = await runtime.textToSpeech({
    model,
    text,
    ...defined({ voice, format, speed, instructions }),
  });
  if (output !== undefined) await writeBytes(io, output, data);
  if (flags.json) {
    const where = output === undefined ? { data: Buffer.from(data).toString('base64') } : { file: output };
    io.stdout.write(`${JSON.stringify({ model, mimeType, size: data.byteLength, ...where })}\n`);
  } else if (output === undefined) await writeToStdout(io, data);
  return EXIT.done;
}
