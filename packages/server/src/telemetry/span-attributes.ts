import { createHash } from 'node:crypto';
import type { ModelRequestRecord, Usage } from '@toolyard/protocol';
import { defined } from '@toolyard/protocol';
import type { SpanValue } from './otlp-exporter.ts';

/** By OpenTelemetry's conventions for generative AI. */
export type Attributes = Record<string, SpanValue>;

const LONGEST_CONTENT = 32_000;

/** Parameters of a model request, without its content. */
export function requestAttributes({ model, parameters }: Pick<ModelRequestRecord, 'model' | 'parameters'>): Attributes {
  const { temperature, topP, maxOutputTokens, stop } = parameters;
  return {
    'gen_ai.request.model': model,
    ...(temperature == null ? {} : { 'gen_ai.request.temperature': temperature }),
    ...(topP == null ? {} : { 'gen_ai.request.top_p': topP }),
    ...(maxOutputTokens == null ? {} : { 'gen_ai.request.max_tokens': maxOutputTokens }),
    ...(stop == null ? {} : { 'gen_ai.request.stop_sequences': stop }),
  };
}

export function usageAttributes(usage: Usage): Attributes {
  const { inputTokens, outputTokens, cachedInputTokens, cacheWriteTokens } = usage;
  return {
    ...defined({
      'gen_ai.usage.input_tokens': inputTokens,
      'gen_ai.usage.output_tokens': outputTokens,
      'gen_ai.usage.cache_read.input_tokens': cachedInputTokens,
      'gen_ai.usage.cache_creation.input_tokens': cacheWriteTokens,
    }),
  };
}

/** Provider names defined by the conventions; other providers use their own name. */
const PROVIDER_NAMES: Readonly<Record<string, string>> = {
  mistral: 'mistral_ai',
  xai: 'x_ai',
  google: 'gcp.gemini',
  gemini: 'gcp.gemini',
  vertex: 'gcp.vertex_ai',
  bedrock: 'aws.bedrock',
  azure: 'azure.ai.openai',
  moonshot: 'moonshot_ai',
};

export function providerName(id: string): string {
  return PROVIDER_NAMES[id] ?? id;
}

/** All work for a run is one trace, whichever process did it. */
export function getTraceId(runId: string): string {
  return digest(`trace ${runId}`).slice(0, 32);
}

export function getSpanId(of: string): string {
  return digest(`span ${of}`).slice(0, 16);
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Content, truncated for a span. */
export function truncateText(value: unknown): string {
  return JSON.stringify(value).slice(0, LONGEST_CONTENT);
}
