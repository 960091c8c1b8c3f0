import { openAiAbilities } from '../openai/abilities.ts';
import { OPENAI_ADDRESSES, bearer, modelPage } from '../openai/endpoints.ts';
import { OPENAI_MAX_TOOLS, OPENAI_TOOLS } from '../tool-schema/rules.ts';
import { chooseText } from '../wire/choose-text.ts';
import type { CapabilityFallback, ApiDialect } from '../wire/dialect.ts';
import type { ProviderFault } from '../wire/provider-error.ts';
import { ResponsesAnswer } from './answer.ts';
import { toOutgoing, OPTIONAL_FEATURES } from './request.ts';

/** The OpenAI Responses API, as served by OpenAI and compatible servers. */
export function createDialect(newId?: () => string): ApiDialect {
  return {
    wire: 'openai-responses',
    label: 'OpenAI responses API',
    tools: { ...OPENAI_TOOLS, maxTools: OPENAI_MAX_TOOLS },
    addresses: { ...OPENAI_ADDRESSES, example: 'https://api.openai.com/v1' },
    headers: bearer,
    chat: toOutgoing,
    answer: (request, errors) => new ResponsesAnswer(chooseText(request, { newId }), errors),
    fallbackFor,
    models: modelPage,
    ...openAiAbilities,
  };
}

function fallbackFor({ message, param }: ProviderFault): CapabilityFallback | null {
  const text = `${param} ${message}`;
  if (/reasoning\.summary|reasoning summar/i.test(text)) return { without: OPTIONAL_FEATURES.summary };
  // Rejected as an `include` option, or as an input item.
  if (/encrypted content is not supported|^include/i.test(text)) return { without: OPTIONAL_FEATURES.encrypted };
  return /encrypted.content|'rs_|type 'reasoning'|required following item/i.test(text)
    ? { without: OPTIONAL_FEATURES.replay }
    : null;
}
