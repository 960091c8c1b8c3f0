import { defined } from '@toolyard/protocol';
import type { CommandIo } from '../../command-io.ts';
import { EXIT } from '../../exit.ts';
import { exitOnClosedPipe } from '../../closed-pipe.ts';
import { jsonLine, sanitize } from '../../sanitize.ts';
import { readMedia } from './files.ts';
import type { AbilityFlags, TranscribeFlags } from './flags.ts';
import { createUnsupportedError, openModel } from './open-model.ts';

/** `toolyard model transcribe`: prints the transcript. */
export async function transcribeCommand(
  io: CommandIo,
  file: string,
  flags: AbilityFlags & TranscribeFlags,
): Promise<number> {
  exitOnClosedPipe(io);
  const { language, prompt } = flags;
  const audio = await readMedia(io, file, flags.type);
  await using opened = await openModel(io, flags);
  const { runtime, model } = opened;
  if (runtime.transcribe === undefined) throw createUnsupportedError(runtime, 'transcribe audio');
  const transcript = await runtime.transcribe({
    model,
    audio,
    ...defined({ language, prompt }),
  });
  io.stdout.write(`${flags.json ? jsonLine({ model, ...transcript }) : sanitize(transcript.text)}\n`);
  return EXIT.done;
}
