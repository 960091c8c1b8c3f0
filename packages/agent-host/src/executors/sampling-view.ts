import type { JsonObject, JsonValue, SamplingContent, SamplingInterrupt, SamplingMessage } from '@toolyard/protocol';
import { defined, isJsonObject, ToolyardError, say } from '@toolyard/protocol';

/** Limit of the text that a user has to read before allowing a request, and that is stored with the run. */
const MAX_TEXT_LENGTH = 100_000;

/** A server's sampling request as it is shown to the user. @throws ToolyardError if it is too large */
export function describeSampling(
  request: JsonObject,
): Pick<SamplingInterrupt, 'systemPrompt' | 'messages' | 'modelHints' | 'maxTokens' | 'tools'> {
  const { systemPrompt, maxTokens } = request;
  const described = {
    ...(typeof systemPrompt === 'string' ? { systemPrompt } : {}),
    messages: readList(request['messages']).map(describeMessage),
    modelHints: readHints(request),
    maxTokens: typeof maxTokens === 'number' ? maxTokens : 0,
    tools: readList(request['tools']).flatMap((tool) => {
      const name = textAt(tool, 'name');
      const description = textAt(tool, 'description');
      return name === undefined ? [] : [{ name, ...defined({ description }) }];
    }),
  };
  if (JSON.stringify(described).length <= MAX_TEXT_LENGTH) return described;
  throw new ToolyardError({ code: 'too_large', message: say`The request of the server is too large to be shown.` });
}

/** The content blocks of a message; a single block is allowed instead of a list. */
export function readBlocks(message: JsonValue): JsonObject[] {
  const content = isJsonObject(message) ? message['content'] : undefined;
  return [content ?? []].flat().filter(isJsonObject);
}

/** The text of tool results, for the model and the user. */
export function readResultText(block: JsonObject): string {
  return readList(block['content'])
    .map((one) => textAt(one, 'text') ?? `[${textAt(one, 'type') ?? 'content'}]`)
    .join('\n');
}

export function readList(value: JsonValue | undefined): JsonValue[] {
  return Array.isArray(value) ? value : [];
}

export function textAt(value: JsonValue | undefined, key: string): string | undefined {
  const text = isJsonObject(value) ? value[key] : undefined;
  return typeof text === 'string' ? text : undefined;
}

function describeMessage(message: JsonValue): SamplingMessage {
  return {
    role: textAt(message, 'role') === 'assistant' ? 'assistant' : 'user',
    content: readBlocks(message).map(describeBlock),
  };
}

function describeBlock(block: JsonObject): SamplingContent {
  switch (block['type']) {
    case 'text':
      return { type: 'text', text: textAt(block, 'text') ?? '' };
    case 'tool_use':
      return {
        type: 'tool_use',
        name: textAt(block, 'name') ?? '',
        arguments: isJsonObject(block['input']) ? block['input'] : {},
      };
    case 'tool_result':
      return { type: 'tool_result', text: readResultText(block) };
    default: {
      const data = textAt(block, 'data') ?? '';
      const mimeType = textAt(block, 'mimeType') ?? 'application/octet-stream';
      return { type: 'media', mimeType, bytes: Math.floor((data.length * 3) / 4) };
    }
  }
}

function readHints(request: JsonObject): string[] {
  const preferences = request['modelPreferences'];
  const hints = isJsonObject(preferences) ? readList(preferences['hints']) : [];
  return hints.flatMap((hint) => textAt(hint, 'name') ?? []).slice(0, 20);
}
