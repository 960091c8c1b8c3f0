import type { ModelParameters } from '@toolyard/protocol';
import { defined, ToolyardError } from '@toolyard/protocol';
import type { ChatFlags } from '../flags.ts';
import { readAll } from './terminal.ts';

/** The question of a chat that answers one and leaves; undefined where it is to be a conversation. */
export async function readQuestion(
  question: string | undefined,
  flags: Pick<ChatFlags, 'allow' | 'json'>,
  input: NodeJS.ReadableStream,
): Promise<string | undefined> {
  const asked = question === '-' ? await readAll(input) : question;
  if (asked !== undefined && asked.trim() === '') {
    throw new ToolyardError({ code: 'bad_config', message: 'The question is empty.' });
  }
  if (flags.json && asked === undefined) {
    throw new ToolyardError({
      code: 'bad_config',
      message: '--json goes with a question.',
      hint: 'toolyard chat --json "question"',
    });
  }
  checkAllowed(flags.allow);
  return asked;
}

/** How the model writes, as the flags say it. */
export function parametersFrom(flags: ChatFlags): ModelParameters {
  return {
    ...defined({ temperature: flags.temperature, topP: flags.topP, maxOutputTokens: flags.maxTokens }),
    ...(flags.stop.length === 0 ? {} : { stop: flags.stop }),
    ...defined({ seed: flags.seed }),
  };
}

function checkAllowed(allow: readonly string[]): void {
  const wrong = allow.find((reference) => !/^[^/]+\/.+$/.test(reference));
  if (wrong === undefined) return;
  throw new ToolyardError({
    code: 'bad_config',
    message: `--allow ${wrong}: it takes a server and a tool, such as files/read_file.`,
    hint: 'In a chat, /tools lists them.',
  });
}
