import type { WireName } from '@toolyard/protocol';

/** API formats by their product names, which are not translated. */
export const WIRE_LABELS: Record<WireName, string> = {
  'openai-chat': 'OpenAI Chat Completions',
  'openai-responses': 'OpenAI Responses',
  'anthropic-messages': 'Anthropic Messages',
  'google-gemini': 'Google Gemini',
  'bedrock-converse': 'Amazon Bedrock Converse',
};
