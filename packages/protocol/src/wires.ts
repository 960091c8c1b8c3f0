/** The APIs of model providers that are spoken, the commonest first. */
export const WIRES = ['openai-chat', 'openai-responses', 'anthropic-messages', 'google-gemini'] as const;

export type WireName = (typeof WIRES)[number];
