import { EXIT } from '../../exit.ts';
import { endWithItsReader } from '../../pipe.ts';
import { plain } from '../../plain.ts';
import { readMedia } from './files.ts';
import type { AbilityFlags, TranscribeFlags } from './flags.ts';
import { cannot, openModel } from './open-model.ts';

/** `toolyard model transcribe`: the words on stdout. */
export async function transcribeCommand(
  file: string,
  flags: AbilityFlags & TranscribeFlags,
  env: NodeJS.ProcessEnv,
): Promise<number> {
  endWithItsReader();
  const { language, prompt } = flags;
  const audio = await readMedia(file, flags.type);
  await using opened = await openModel(flags, env);
  const { runtime, model } = opened;
  if (runtime.transcribe === undefined) throw cannot(runtime, 'write down what is said');
  const heard = await runtime.transcribe({
    model,
    audio,
    ...(language === undefined ? {} : { language }),
    ...(prompt === undefined ? {} : { prompt }),
  });
  process.stdout.write(`${flags.json ? JSON.stringify({ model, ...heard }) : plain(heard.text)}\n`);
  return EXIT.done;
}
