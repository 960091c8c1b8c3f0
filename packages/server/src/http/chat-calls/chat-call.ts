import type { ChatRequest } from '@toolyard/model-runtime';
import type { FinishReason, JsonValue, Message, ToolDefinition } from '@toolyard/protocol';
import { defined } from '@toolyard/protocol';
import type { ChatCall, ChatMessage, OpenAiChatCall } from '@toolyard/protocol/schemas';
import { chatCall } from '@toolyard/protocol/schemas';
import { fromOpenAiChatCall, hasOpenAiMessages, receivedOpenAiChatCall } from './openai-chat-call.ts';
import { checkParts } from './user-parts.ts';

/** The schema of a call: Toolyard's own, or OpenAI's. */
export function getChatSchema(body: JsonValue): typeof chatCall | typeof receivedOpenAiChatCall {
  return hasOpenAiMessages(body) ? receivedOpenAiChatCall : chatCall;
}

/** A call of either form in Toolyard's. @throws ProblemAnswer 400 */
export function toChatCall(call: ChatCall | OpenAiChatCall): ChatCall {
  return isOfOpenAi(call) ? fromOpenAiChatCall(call) : call;
}

/** All messages of a valid call have the same form. */
function isOfOpenAi(call: ChatCall | OpenAiChatCall): call is OpenAiChatCall {
  return call.messages.some((message) => !('parts' in message));
}

/**
 * Completes the request of a client with defaults.
 *
 * @param isKept whether the user has a file with this sha256
 * @throws ProblemAnswer 400 or 404 for an invalid attachment
 */
export async function toChatRequest(
  call: ChatCall,
  isKept: (sha256: string) => Promise<boolean>,
): Promise<ChatRequest> {
  const { model, tools = [], toolChoice = 'auto', toolMode = 'native', parameters = {}, responseFormat, user } = call;
  return {
    model,
    messages: await toMessages(call.messages, isKept),
    tools: tools.map((tool): ToolDefinition => ({
      ...tool,
      tool: tool.tool ?? { serverId: 'client', name: tool.name },
      // Tools that a client defines are never built in.
      builtIn: false,
    })),
    toolChoice,
    toolMode,
    parameters,
    ...defined({ responseFormat, user }),
  };
}

/** Messages with all required fields. @throws like {@link toChatRequest} */
export async function toMessages(
  messages: readonly ChatMessage[],
  isKept: (sha256: string) => Promise<boolean>,
): Promise<Message[]> {
  for (const message of messages) if (message.role === 'user') await checkParts(message.parts, isKept);
  return messages.map((message, at): Message => {
    const { id = `message-${at}`, parentId = null, createdAt = 0 } = message;
    const base = { id, parentId, createdAt };
    switch (message.role) {
      case 'user':
        return { ...base, role: 'user', parts: message.parts };
      case 'assistant': {
        const { parts, runId = '', model = '', finishReason = 'stop' } = message;
        return { ...base, role: 'assistant', parts, runId, model, finishReason: finishReason as FinishReason };
      }
      case 'tool':
        return { ...base, role: 'tool', name: message.name, tool: message.tool ?? null, parts: message.parts };
      case 'system':
        return { ...base, role: 'system', parts: message.parts };
    }
  });
}
