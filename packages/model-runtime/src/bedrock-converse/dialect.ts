import { BEDROCK_TOOLS } from '../tool-schema/rules.ts';
import { chooseText } from '../wire/choose-text.ts';
import type { ApiDialect, CapabilityFallback } from '../wire/dialect.ts';
import type { ProviderFault } from '../wire/provider-error.ts';
import { ConverseAnswer } from './answer.ts';
import { REPLAY_FEATURES } from '../wire/replay.ts';
import { readError } from './error.ts';
import { FrameReader } from './frame-reader.ts';
import { modelPage } from './model-page.ts';
import { OPTIONAL_FEATURES, toOutgoing } from './request.ts';
import { signedFetch } from './signed-fetch.ts';

/**
 * The Converse API of Amazon Bedrock. Source:
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html
 */
export function createDialect(newId?: () => string): ApiDialect {
  return {
    wire: 'bedrock-converse',
    label: 'Amazon Bedrock Converse API',
    tools: BEDROCK_TOOLS,
    addresses: {
      version: null,
      versionFirst: false,
      endpoints: ['model'],
      example: 'https://bedrock-runtime.us-east-1.amazonaws.com',
    },
    headers: () => ({}),
    signed: signedFetch,
    chat: toOutgoing,
    answer: (request, errors) => new ConverseAnswer(chooseText(request, { newId }), errors),
    body: (answer) => new FrameReader(answer),
    readError,
    fallbackFor,
    models: modelPage,
  };
}

function fallbackFor({ message }: ProviderFault): CapabilityFallback | null {
  if (/cache ?point|prompt caching/i.test(message)) return { without: OPTIONAL_FEATURES.cachePoints };
  if (/signature|reasoning ?content/i.test(message)) return { without: REPLAY_FEATURES.replay };
  return null;
}
