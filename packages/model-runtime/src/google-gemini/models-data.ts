import type { ReasoningEffort } from '@toolyard/protocol';
import type { ModelRow } from '../wire/effort.ts';

/** How thinking is configured: by level, by a token budget with minimum and maximum, or not at all. */
export type GeminiThinking =
  | { by: 'level'; levels: readonly Exclude<ReasoningEffort, 'none' | 'xhigh' | 'max'>[] }
  | { by: 'budget'; min: number; max: number; canStop: boolean }
  | { by: 'nothing' };

/**
 * Source: https://ai.google.dev/gemini-api/docs/thinking. A wrong or missing row costs one rejected request; the
 * outcome is then remembered.
 */
export const GEMINI_THINKING: readonly ModelRow<GeminiThinking>[] = [
  { models: /-(image|tts|live|native-audio)/, traits: { by: 'nothing' } },
  { models: /gemini-3-pro/, traits: { by: 'level', levels: ['low', 'high'] } },
  { models: /gemini-([3-9]|\d\d)[.\d]*-pro/, traits: { by: 'level', levels: ['low', 'medium', 'high'] } },
  { models: /gemini-([3-9]|\d\d)/, traits: { by: 'level', levels: ['minimal', 'low', 'medium', 'high'] } },
  { models: /gemini-2\.5-pro/, traits: { by: 'budget', min: 128, max: 32_768, canStop: false } },
  { models: /gemini-2\.5-flash-lite/, traits: { by: 'budget', min: 512, max: 24_576, canStop: true } },
  { models: /gemini-2\.5/, traits: { by: 'budget', min: 1, max: 24_576, canStop: true } },
  { models: /./, traits: { by: 'nothing' } },
];

/** Thinking budget in tokens for each effort level. */
export const BUDGETS: Record<ReasoningEffort, number> = {
  none: 0,
  minimal: 512,
  low: 2_048,
  medium: 8_192,
  high: 16_384,
  xhigh: 24_576,
  max: 32_768,
};

/** True for models that reject calls of the current turn without their signature, and accept images within a tool result. */
export function isSinceGemini3(model: string): boolean {
  return /gemini-([3-9]|\d\d)/.test(model);
}

/** True for models that output images. */
export function supportsImageOutput(model: string): boolean {
  return /-image/.test(model);
}
