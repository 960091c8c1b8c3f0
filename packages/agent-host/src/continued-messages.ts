import type { Message } from '@toolyard/protocol';
import { ToolyardError } from '@toolyard/protocol';

/**
 * The messages of an earlier conversation, which a program may have read from a file: every one has the form in which
 * `agent.messages` returned it, and no two have the same id.
 *
 * @throws ToolyardError `bad_request` that names the first invalid message
 */
export async function continuedMessages(messages: readonly Message[] = []): Promise<readonly Message[]> {
  if (!Array.isArray(messages)) throw createInvalidMessageError('messages', 'it must be an array');
  if (messages.length === 0) return [];
  // The schemas are loaded only here: most agents begin without messages.
  const { message } = await import('@toolyard/protocol/schemas');
  const ids = new Set<string>();
  return messages.map((each: unknown, at) => {
    const read = message.safeParse(each);
    if (!read.success) {
      const [issue] = read.error.issues;
      throw createInvalidMessageError(
        ['messages', at, ...(issue?.path ?? [])].map(String).join('.'),
        issue?.message ?? 'unknown form',
      );
    }
    if (ids.has(read.data.id)) throw createInvalidMessageError(`messages.${at}.id`, `"${read.data.id}" occurs twice`);
    ids.add(read.data.id);
    return read.data;
  });
}

function createInvalidMessageError(place: string, problem: string): ToolyardError {
  return new ToolyardError({
    code: 'bad_request',
    message: `"${place}" is invalid: ${problem}.`,
    hint: 'Pass what agent.messages returned.',
  });
}
