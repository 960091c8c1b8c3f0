import { scrubJson } from '../scrub.ts';
import { createBlockTurns } from '../wire/block-turns.ts';
import { content } from './content.ts';

/** The conversation in the format of the API. */
export const turnsOf = createBlockTurns({
  wire: 'anthropic-messages',
  content,
  resultBlock: (id, blocks, { text, images, isError }) => ({
    type: 'tool_result',
    tool_use_id: id,
    content: images.length === 0 ? text : [...blocks],
    ...(isError ? { is_error: true } : {}),
  }),
  callBlock: ({ id, name, arguments: args }) => ({ type: 'tool_use', id, name, input: scrubJson(args) }),
  reasoningBlock: (thinking, { kind, content }, model) => {
    if (kind === 'redacted') return { type: 'redacted_thinking', data: content };
    // Compatible servers do not sign thinking and expect it back as it came; Anthropic rejects it without a signature.
    return content === '' && /claude/i.test(model) ? null : { type: 'thinking', thinking, signature: content };
  },
});
