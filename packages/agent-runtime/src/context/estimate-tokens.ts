import type { ContentPart, Message, ToolDefinition } from '@toolyard/protocol';
import { labelOf } from '@toolyard/protocol';

/** What stands around a message on every wire, in tokens. */
const FRAME = 4;
/** What a picture or a sound costs, about, whatever its size. */
const MEDIA = 1_000;

/** Four ASCII characters, or one other, to a token: near enough, and corrected by what models tell. */
export function tokensOfText(text: string): number {
  let quarters = text.length;
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 127) quarters += 3;
  return Math.ceil(quarters / 4);
}

const known = new WeakMap<object, number>();

/** What a message takes up, by estimate. A message never changes: each is looked at once. */
export function tokensOf(message: Message): number {
  let tokens = known.get(message);
  if (tokens === undefined) {
    tokens = FRAME;
    for (const part of message.parts) tokens += tokensOfPart(part);
    known.set(message, tokens);
  }
  return tokens;
}

/** What the definitions of tools take up. A list never changes either. */
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
