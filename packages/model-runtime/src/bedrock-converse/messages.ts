import { scrubJson } from '../scrub.ts';
import { createBlockTurns } from '../wire/block-turns.ts';
import { resultBlock, resultContent, textBlock, userBlocks } from './content.ts';

/** The conversation in the format of the API. */
export const turnsOf = createBlockTurns({
  wire: 'bedrock-converse',
  userBlocks,
  textBlock,
  resultBlock,
  resultContent,
  callBlock: ({ id, name, arguments: args }) => ({ toolUse: { toolUseId: id, name, input: scrubJson(args) } }),
  reasoningBlock: (text, { kind, content }) => {
    if (kind === 'redacted') return { reasoningContent: { redactedContent: content } };
    return content === '' ? null : { reasoningContent: { reasoningText: { text, signature: content } } };
  },
});
