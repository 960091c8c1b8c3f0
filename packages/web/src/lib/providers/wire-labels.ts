import type { WireName } from '@toolyard/protocol';

/** The APIs by their own names, which no language changes. */
export const WIRE_LABELS: Record<WireName, string> = {
  'openai-chat': 'OpenAI Chat Completions',
  'openai-responses': 'OpenAI Responses',
  'anthropic-messages': 'Anthropic Messages',
  'google-gemini': 'Google Gemini',
};
