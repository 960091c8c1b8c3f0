import { scrubJson } from '../scrub.ts';
import { createBlockTurns } from '../wire/block-turns.ts';
import { resultBlock, resultContent, textBlock, userBlocks } from './content.ts';

/** The conversation in the format of the API. */
export const turnsOf = createBlockTurns({
  wire: 'anthropic-messages',
  userBlocks,
  textBlock,
  resultBlock,
  resultContent,
  callBlock: ({ id, name, arguments: args }) => ({ type: 'tool_use', id, name, input: scrubJson(args) }),
  reasoningBlock: (thinking, { kind, content }) =>
    kind === 'redacted'
      ? { type: 'redacted_thinking', data: content }
      : { type: 'thinking', thinking, signature: content },
});
