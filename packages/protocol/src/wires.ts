/** The supported API formats, most common first. */
export const WIRES = [
  'openai-chat',
  'openai-responses',
  'anthropic-messages',
  'google-gemini',
  'bedrock-converse',
] as const;

export type WireName = (typeof WIRES)[number];
