import type { ContentPart, Message, ToolDefinition } from '@toolyard/protocol';
import { labelOf } from '@toolyard/protocol';

/** Tokens that every API format adds per message. */
const FRAME = 4;
/** Approximate tokens of an image or audio part, whatever its size. */
const MEDIA = 1_000;

/** Estimates one token per four ASCII characters or one other character; corrected by reported usage. */
export function tokensOfText(text: string): number {
  let quarters = text.length;
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 127) quarters += 3;
  return Math.ceil(quarters / 4);
}

/** The fewest tokens that a text has with the vocabularies of today: five ASCII characters, or two others, each. */
export function minTokensOfText(text: string): number {
  let others = 0;
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 127) others += 1;
  return Math.floor((text.length - others) / 5 + others / 2);
}

const known = new WeakMap<object, number>();

/** Estimated tokens of a message. Messages are immutable, so each is counted once. */
export function countTokens(message: Message): number {
  let tokens = known.get(message);
  if (tokens === undefined) {
    tokens = FRAME;
    for (const part of message.parts) tokens += tokensOfPart(part);
    known.set(message, tokens);
  }
  return tokens;
}

/** Estimated tokens of tool definitions. Lists are immutable as well. */
export function tokensOfTools(tools: readonly ToolDefinition[]): number {
  let tokens = known.get(tools);
  if (tokens === undefined) {
    tokens = 0;
    for (const tool of tools) tokens += tokensOfTool(tool);
    known.set(tools, tokens);
  }
  return tokens;
}

function tokensOfTool(tool: ToolDefinition): number {
  let tokens = known.get(tool);
  if (tokens === undefined) {
    tokens = FRAME + tokensOfText(`${tool.name} ${tool.description ?? ''} ${JSON.stringify(tool.inputSchema)}`);
    known.set(tool, tokens);
  }
  return tokens;
}

function tokensOfPart(part: ContentPart | Message['parts'][number]): number {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return tokensOfText(part.text);
    case 'resource':
      return (
        tokensOfText(part.uri) + (part.text === undefined ? 0 : tokensOfText(part.text)) + (part.source ? MEDIA : 0)
      );
    case 'prompt':
      return part.messages.reduce((sum, { content }) => sum + tokensOfPart(content), FRAME);
    case 'tool_call':
      return FRAME + tokensOfText(part.name) + tokensOfText(JSON.stringify(part.arguments));
    case 'malformed_tool_call':
      return tokensOfText(part.raw);
    case 'tool_result': {
      const { content, structured } = part.result;
      const hasText = content.some(({ type }) => type === 'text' || type === 'resource');
      const own = hasText || structured === undefined ? 0 : tokensOfText(JSON.stringify(structured));
      return content.reduce((sum, each) => sum + tokensOfPart(each), own);
    }
    case 'citation':
    case 'error':
      return 0;
    default:
      return 'source' in part ? MEDIA : tokensOfText(labelOf(part));
  }
}
