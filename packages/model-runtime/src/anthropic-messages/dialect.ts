import { createNotice } from '../create-notice.ts';
import { isJsonObject, say } from '@toolyard/protocol';
import { authorizedFetch } from '../google-cloud/authorized-fetch.ts';
import { readModels } from '../wire/model-list.ts';
import type { ChatRequest } from '../types.ts';
import { ANTHROPIC_TOOLS } from '../tool-schema/rules.ts';
import { chooseText } from '../wire/choose-text.ts';
import type { CapabilityFallback, ApiDialect, Exchange, ModelPage } from '../wire/dialect.ts';
import type { ProviderFault } from '../wire/provider-error.ts';
import { REPLAY_FEATURES, replayFallback } from '../wire/replay.ts';
import { AnthropicAnswer } from './answer.ts';
import type { AnthropicQuirks } from './quirks.ts';
import { toOutgoing, OPTIONAL_FEATURES } from './request.ts';

/** The Anthropic Messages API, as served by Anthropic and compatible servers. */
export function createDialect(quirks: AnthropicQuirks = {}, newId?: () => string): ApiDialect {
  const isVertex = quirks.vertex === true;
  return {
    wire: 'anthropic-messages',
    label: 'Anthropic messages API',
    tools: ANTHROPIC_TOOLS,
    addresses: {
      version: 'v1',
      versionFirst: true,
      endpoints: ['messages', 'models'],
      example: 'https://api.anthropic.com',
    },
    headers: (apiKey) => ({
      // The version of Vertex AI is in the body.
      ...(isVertex ? {} : { 'anthropic-version': '2023-06-01' }),
      ...(apiKey === undefined || isVertex
        ? {}
        : quirks.bearer === true
          ? { authorization: `Bearer ${apiKey}` }
          : { 'x-api-key': apiKey }),
    }),
    ...(isVertex ? { signed: authorizedFetch } : {}),
    chat: (request, without) => toOutgoing(request, quirks, without),
    answer: (request, errors) => new AnthropicAnswer(chooseText(request, { newId }), errors),
    fallbackFor,
    models: modelPage,
  };
}

function fallbackFor(
  { message }: ProviderFault,
  request: ChatRequest,
  without: ReadonlySet<string>,
): CapabilityFallback | null {
  const limit = /max_tokens: \d+ > (\d+)/.exec(message)?.[1];
  if (limit !== undefined) {
    const requested = request.parameters.maxOutputTokens;
    const notice = createNotice(
      'setting_left_out',
      say`${request.model} allows at most ${limit} output tokens: the limit was reduced.`,
    );
    return { without: `${OPTIONAL_FEATURES.limit}${limit}`, ...(requested === undefined ? {} : { notice }) };
  }
  if (/cache_control/.test(message)) return { without: OPTIONAL_FEATURES.cacheMarks };
  const isAboutReasoning = /signature|thinking.{0,40}block|reasoning.?content/i.test(message);
  if (isAboutReasoning && !/^.{0,60}expected/i.test(message)) {
    // Claude needs no thinking before a call; other models may.
    if (/claude/i.test(request.model)) return { without: REPLAY_FEATURES.replay };
    return replayFallback(request.messages, without, request.model);
  }
  // Thinking cannot be enabled within a turn that began without it.
  if (/expected .?(redacted_)?thinking/i.test(message)) {
    return {
      without: 'reasoningEffort',
      notice: createNotice(
        'setting_left_out',
        say`${request.model} cannot start thinking in the middle of a turn: thinking was left out.`,
      ),
    };
  }
  return null;
}

function modelPage(page: string | undefined): Exchange<ModelPage> {
  return {
    path: `/models?limit=1000${page === undefined ? '' : `&after_id=${encodeURIComponent(page)}`}`,
    body: '',
    read: (answer) => {
      const models = readModels(answer);
      if (models === null) return null;
      const next = isJsonObject(answer) && answer['has_more'] === true ? answer['last_id'] : null;
      return { models, ...(typeof next === 'string' ? { next } : {}) };
    },
  };
}
