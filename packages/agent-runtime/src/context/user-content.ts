import type { Message, ToolContentPart, ToolMessage } from '@toolyard/protocol';
import { mapUnlessSame, memoizer } from './memoize.ts';

const reduced = memoizer<ToolMessage, ToolMessage>();

/**
 * Leaves out parts of results that are meant for the user alone, if the server also wrote a part for the model alone.
 * Otherwise the model gets everything: many servers annotate all of their content as meant for the user.
 */
export function withoutUserContent(messages: readonly Message[]): readonly Message[] {
  return mapUnlessSame(messages, (message) => {
    if (message.role !== 'tool') return message;
    const [part] = message.parts;
    const { content } = part.result;
    if (!content.some(isOnlyFor('assistant')) || !content.some(isOnlyFor('user'))) return message;
    return reduced(message, null, () => {
      const left = content.filter((each) => !isOnlyFor('user')(each));
      return { ...message, parts: [{ ...part, result: { ...part.result, content: left } }] };
    });
  });
}

function isOnlyFor(who: 'user' | 'assistant'): (part: ToolContentPart) => boolean {
  return ({ audience }) => audience?.length === 1 && audience[0] === who;
}
