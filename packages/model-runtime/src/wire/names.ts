/** The APIs we speak ourselves. */
export type WireName = 'openai-chat' | 'openai-responses' | 'anthropic-messages' | 'google-gemini';
