import { openAiAbilities } from '../openai/abilities.ts';
import { OPENAI_ADDRESSES, bearer, modelPage } from '../openai/endpoints.ts';
import { chooseText } from '../wire/choose-text.ts';
import type { Concession, Dialect } from '../wire/dialect.ts';
import type { ProviderError } from '../wire/provider-error.ts';
import { Answer } from './answer.ts';
import { toOutgoing, WITHOUT } from './request.ts';

/** OpenAI's responses, as it and others serve them. */
export function createDialect(newId?: () => string): Dialect {
  return {
    wire: 'openai-responses',
    label: 'OpenAI responses API',
    addresses: { ...OPENAI_ADDRESSES, example: 'https://api.openai.com/v1' },
    headers: bearer,
    chat: toOutgoing,
    answer: (request, errors) => new Answer(chooseText(request, { newId }), errors),
    concede,
    models: modelPage,
    ...openAiAbilities,
  };
}

function concede({ message, param }: ProviderError): Concession | null {
  const said = `${param} ${message}`;
  if (/reasoning\.summary|reasoning summar/i.test(said)) return { without: WITHOUT.summary };
  // Refused as something asked for, or as something sent back.
  if (/encrypted content is not supported|^include/i.test(said)) return { without: WITHOUT.encrypted };
  return /encrypted.content|'rs_|type 'reasoning'|required following item/i.test(said)
    ? { without: WITHOUT.replay }
    : null;
}
