import { scrubJson } from '../scrub.ts';
import { createBlockTurns } from '../wire/block-turns.ts';
import { content, withText } from './content.ts';

/** The conversation in the format of the API. */
export const turnsOf = createBlockTurns({
  wire: 'bedrock-converse',
  content,
  complete: withText,
  resultBlock: (id, blocks, { isError }) => ({
    toolResult: { toolUseId: id, content: [...blocks], ...(isError ? { status: 'error' } : {}) },
  }),
  callBlock: ({ id, name, arguments: args }) => ({ toolUse: { toolUseId: id, name, input: scrubJson(args) } }),
  reasoningBlock: (text, { kind, content }) => {
    if (kind === 'redacted') return { reasoningContent: { redactedContent: content } };
    return content === '' ? null : { reasoningContent: { reasoningText: { text, signature: content } } };
  },
});
