import { matchesGlob } from '@toolyard/agent-host';
import type { ModelParameters } from '@toolyard/protocol';
import { defined } from '@toolyard/protocol';
import type { ChatFlags } from '../flags.ts';
import { readAll } from './terminal.ts';
import { createConfigError } from '../errors.ts';

/** The user message of a one-shot chat; undefined for an interactive chat. */
export async function readUserMessage(
  message: string | undefined,
  flags: Pick<ChatFlags, 'allow' | 'json'>,
  input: NodeJS.ReadableStream,
): Promise<string | undefined> {
  const text = message === '-' ? await readAll(input) : message;
  if (text !== undefined && text.trim() === '') {
    throw createConfigError('The question is empty.');
  }
  if (flags.json && text === undefined) {
    throw createConfigError('--json requires a question.', 'toolyard chat --json "question"');
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
  throw createConfigError(
    `--allow must be a server and a tool, such as files/read_file (got "${invalid}").`,
    'List them with /tools in a chat.',
  );
}

/**
 * Reports a pattern of `--allow` that matches no tool, unless a server that it may name has not listed its tools.
 *
 * @throws ToolyardError `bad_config`
 */
export function checkAllowMatches(
  allow: readonly string[],
  tools: readonly string[],
  servers: readonly { id: string; state: string }[],
): void {
  const known = [...tools, ...servers.filter(({ state }) => state !== 'ready').map(({ id }) => `${id}/`)];
  const isKnown = (pattern: string): boolean =>
    known.some((name) => matchesGlob(name.endsWith('/') ? pattern.replace(/[^/]*$/, '') : pattern, name));
  const invalid = allow.find((pattern) => !isKnown(pattern));
  if (invalid === undefined) return;
  const names = servers.map(({ id }) => id).join(', ');
  throw createConfigError(
    `--allow ${invalid} matches no tool of this chat.`,
    `${names === '' ? 'The chat has no servers.' : `Servers: ${names}.`} List the tools with /tools in a chat; quote a pattern such as 'files/*'.`,
  );
}
