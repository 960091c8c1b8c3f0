import { defined } from '@toolyard/protocol';
import type { CommandIo } from '../../command-io.ts';
import { EXIT } from '../../exit.ts';
import { exitOnClosedPipe } from '../../closed-pipe.ts';
import { readText } from './files.ts';
import type { AbilityFlags, EmbedFlags } from './flags.ts';
import { createUnsupportedError, openModel } from './open-model.ts';

/** `toolyard model embed`: one vector per line. */
export async function embedCommand(
  io: CommandIo,
  texts: readonly string[],
  flags: AbilityFlags & EmbedFlags,
): Promise<number> {
  exitOnClosedPipe(io);
  const fromStdin = texts.length === 0 || (texts.length === 1 && texts[0] === '-');
  const input = fromStdin ? (await readText(io, '-')).split(/\r?\n/).filter((line) => line.trim() !== '') : [...texts];
  await using opened = await openModel(io, flags);
  const { runtime, model } = opened;
  if (runtime.embeddings === undefined) throw createUnsupportedError(runtime, 'create embeddings');
  const { dimensions } = flags;
  const response = await runtime.embeddings({ model, input, ...defined({ dimensions }) });
  if (flags.json) io.stdout.write(`${JSON.stringify({ model, ...response })}\n`);
  else for (const vector of response.vectors) io.stdout.write(`${JSON.stringify(vector)}\n`);
  return EXIT.done;
}
