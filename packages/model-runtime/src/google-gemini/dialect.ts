import { createNotice } from '../create-notice.ts';
import { isJsonObject, say, type JsonObject, type JsonValue } from '@toolyard/protocol';
import { authorizedFetch } from '../google-cloud/authorized-fetch.ts';
import type { ChatRequest, ModelInfo } from '../types.ts';
import { GEMINI_TOOLS } from '../tool-schema/rules.ts';
import { chooseText } from '../wire/choose-text.ts';
import type { CapabilityFallback, ApiDialect, Exchange, ModelPage } from '../wire/dialect.ts';
import type { ProviderFault } from '../wire/provider-error.ts';
import { geminiAbilities } from './abilities.ts';
import { GeminiAnswer } from './answer.ts';
import { readError } from './error.ts';
import type { GeminiQuirks } from './quirks.ts';
import { toOutgoing, OPTIONAL_FEATURES } from './request.ts';

/** Google's Gemini API. */
export function createDialect(quirks: GeminiQuirks = {}, newId?: () => string): ApiDialect {
  const isVertex = quirks.vertex === true;
  return {
    wire: 'google-gemini',
    label: 'Gemini API',
    tools: GEMINI_TOOLS,
    addresses: {
      version: 'v1beta',
      versionFirst: true,
      endpoints: ['models'],
      example: 'https://generativelanguage.googleapis.com',
    },
    headers: (apiKey) => (apiKey === undefined || isVertex ? {} : { 'x-goog-api-key': apiKey }),
    ...(isVertex ? { signed: authorizedFetch } : {}),
    chat: toOutgoing,
    answer: (request, errors) => new GeminiAnswer(chooseText(request, { newId }), errors),
    readError,
    fallbackFor,
    models: modelPage,
    ...geminiAbilities,
  };
}

function fallbackFor({ message }: ProviderFault, request: ChatRequest): CapabilityFallback | null {
  if (/thought.?signature/i.test(message)) return { without: OPTIONAL_FEATURES.replay };
  if (/include.?thoughts/i.test(message)) return { without: OPTIONAL_FEATURES.thoughts };
  if (request.responseFormat !== undefined && /response.?mime.?type|json mode/i.test(message)) {
    return {
      without: 'responseFormat',
      notice: createNotice(
        'setting_left_out',
        say`${request.model} does not support this answer format: it was left out.`,
      ),
    };
  }
  return null;
}

function modelPage(page: string | undefined): Exchange<ModelPage> {
  return {
    path: `/models?pageSize=1000${page === undefined ? '' : `&pageToken=${encodeURIComponent(page)}`}`,
    body: '',
    read: (answer) => {
      const list = isJsonObject(answer) ? answer['models'] : null;
      if (!isJsonObject(answer) || !Array.isArray(list)) return null;
      const next = answer['nextPageToken'];
      return {
        models: list.filter(isJsonObject).flatMap(readModel),
        ...(typeof next === 'string' && next !== '' ? { next } : {}),
      };
    },
  };
}

/** Keeps models that generate answers; models that only count tokens or embed must be named by the caller. */
function readModel(model: JsonObject): ModelInfo[] {
  const { name, inputTokenLimit, supportedGenerationMethods: methods } = model;
  if (typeof name !== 'string' || !answers(methods)) return [];
  const window = typeof inputTokenLimit === 'number' && inputTokenLimit > 0 ? { contextWindow: inputTokenLimit } : {};
  return [{ id: name.replace(/^models\//, ''), ...window }];
}

function answers(methods: JsonValue | undefined): boolean {
  return !Array.isArray(methods) || methods.includes('generateContent');
}
