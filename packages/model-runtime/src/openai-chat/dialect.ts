import { createNotice } from '../create-notice.ts';
import { say } from '@toolyard/protocol';
import { OPENAI_TOOLS } from '../tool-schema/rules.ts';
import { chooseText } from '../wire/choose-text.ts';
import type { ChatRequest } from '../types.ts';
import type { CapabilityFallback, ApiDialect } from '../wire/dialect.ts';
import type { ProviderFault } from '../wire/provider-error.ts';
import { openAiAbilities } from '../openai/abilities.ts';
import { OPENAI_ADDRESSES, bearer, modelPage } from '../openai/endpoints.ts';
import { replayFallback } from '../wire/replay.ts';
import { OpenAiChatAnswer } from './answer.ts';
import type { OpenAiChatQuirks } from './quirks.ts';
import { toOutgoing, OPTIONAL_FEATURES } from './request.ts';

/** The OpenAI Chat Completions API, as served by OpenAI and compatible servers. */
export function createDialect(quirks: OpenAiChatQuirks = {}, newId?: () => string): ApiDialect {
  return {
    wire: 'openai-chat',
    label: 'OpenAI chat API',
    tools: quirks.maxTools === undefined ? OPENAI_TOOLS : { ...OPENAI_TOOLS, maxTools: quirks.maxTools },
    toolRefusals: quirks.toolRefusals,
    addresses: OPENAI_ADDRESSES,
    headers: bearer,
    chat: (request, without) => toOutgoing(request, quirks, without),
    answer: (request, errors) =>
      new OpenAiChatAnswer(
        chooseText(request, { always: true, startsInReasoning: quirks.startsInReasoning, newId }),
        errors,
      ),
    fallbackFor,
    models: modelPage,
    ...openAiAbilities,
  };
}

function fallbackFor(
  error: ProviderFault,
  request: ChatRequest,
  without: ReadonlySet<string>,
): CapabilityFallback | null {
  const { message, param } = error;
  if (/stream_options/.test(`${param} ${message}`)) return { without: OPTIONAL_FEATURES.streamOptions };
  if (/max_completion_tokens/.test(message) && request.parameters.maxOutputTokens !== undefined) {
    return without.has(OPTIONAL_FEATURES.oldLimit) ? null : { without: OPTIONAL_FEATURES.oldLimit };
  }
  if (
    request.toolChoice !== 'auto' &&
    request.tools.length > 0 &&
    /tool_choice|tool choice/i.test(`${param} ${message}`)
  ) {
    return {
      without: OPTIONAL_FEATURES.toolChoiceNone,
      notice: createNotice('setting_left_out', say`${request.model} does not support tool_choice: it was left out.`),
    };
  }
  if (REPLAYED.test(`${param} ${message}`)) return replayFallback(request.messages, without, request.model);
  const { nullContent, userAfterResults } = OPTIONAL_FEATURES;
  if (!without.has(userAfterResults) && rejectsUserAfterResults(message, request)) return { without: userAfterResults };
  if (!without.has(nullContent) && rejectsNullContent(error, request)) return { without: nullContent };
  return namesCallId(message, request) ? { without: OPTIONAL_FEATURES.callIds } : null;
}

/** A field of reasoning that is sent back: by its name, or as a field of a message. */
const REPLAYED =
  /reasoning.?(content|details)|thought.?signature|thinking.?blocks|\bmessages\W.*(?<![\w-])(reasoning|thinking)(?![\w-])/is;

function rejectsUserAfterResults(text: string, { messages }: ChatRequest): boolean {
  const isSent = messages.some(({ role }, at) => role === 'user' && messages[at - 1]?.role === 'tool');
  return isSent && /\brole/i.test(text) && /\buser\b/i.test(text) && /\btool\b/i.test(text);
}

function rejectsNullContent({ param, message }: ProviderFault, { messages }: ChatRequest): boolean {
  const isSent = messages.some(
    ({ role, parts }) =>
      role === 'assistant' &&
      parts.some(({ type }) => type === 'tool_call') &&
      parts.every((part) => part.type !== 'text' || part.text.trim() === ''),
  );
  const text = `${param} ${message}`;
  return isSent && /\bcontents?\b/i.test(text) && /\b(null|none|nil|strings?|str|required|missing|empty)\b/i.test(text);
}

function namesCallId(message: string, { messages }: ChatRequest): boolean {
  if (/tool.?call.?id/i.test(message)) return true;
  return messages.some(
    ({ role, parts }) =>
      role === 'assistant' &&
      parts.some(
        (part) =>
          part.type === 'tool_call' &&
          (part.providerCallId ?? '') !== '' &&
          message.includes(part.providerCallId ?? ''),
      ),
  );
}
