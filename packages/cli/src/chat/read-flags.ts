import type { ModelParameters } from '@toolyard/protocol';
import { defined, ToolyardError } from '@toolyard/protocol';
import type { ChatFlags } from '../flags.ts';
import { readAll } from './terminal.ts';

/** The user message of a one-shot chat; undefined for an interactive chat. */
export async function readUserMessage(
  message: string | undefined,
  flags: Pick<ChatFlags, 'allow' | 'json'>,
  input: NodeJS.ReadableStream,
): Promise<string | undefined> {
  const text = message === '-' ? await readAll(input) : message;
  if (text !== undefined && text.trim() === '') {
    throw new ToolyardError({ code: 'bad_config', message: 'The question is empty.' });
  }
  if (flags.json && text === undefined) {
    throw new ToolyardError({
      code: 'bad_config',
      message: '--json requires a question.',
      hint: 'toolyard chat --json "question"',
    });
  }
  checkAllowed(flags.allow);
  return text;
}

/** Model parameters from the flags. */
export function parametersFrom(flags: ChatFlags): ModelParameters {
  return {
    ...defined({ temperature: flags.temperature, topP: flags.topP, maxOutputTokens: flags.maxTokens }),
    ...(flags.stop.length === 0 ? {} : { stop: flags.stop }),
    ...defined({ seed: flags.seed }),
  };
}

function checkAllowed(allow: readonly string[]): void {
  const invalid = allow.find((reference) => !/^[^/]+\/.+$/.test(reference));
  if (invalid === undefined) return;
  throw new ToolyardError({
    code: 'bad_config',
    message: `--allow must be a server and a tool, such as files/read_file (got "${invalid}").`,
    hint: 'List them with /tools in a chat.',
  });
}
