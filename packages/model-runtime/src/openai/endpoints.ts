import type { AddressRules, Exchange, ModelPage } from '../wire/dialect.ts';
import { readModels } from '../wire/model-list.ts';

/** Endpoints of the OpenAI API and of compatible servers. */
export const OPENAI_ADDRESSES: AddressRules = {
  version: 'v1',
  versionFirst: false,
  endpoints: ['chat/completions', 'completions', 'models', 'responses', 'embeddings'],
  example: 'http://127.0.0.1:8080/v1',
};

/** The header with the API key. */
export function bearer(apiKey: string | undefined): Record<string, string> {
  return apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` };
}

/** The model list, which is a single page. */
export function modelPage(): Exchange<ModelPage> {
  return {
    path: '/models',
    body: '',
    read: (answer) => {
      const models = readModels(answer);
      return models === null ? null : { models };
    },
  };
}
