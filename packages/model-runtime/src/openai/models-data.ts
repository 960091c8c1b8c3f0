import type { ReasoningEffort } from '@toolyard/protocol';
import type { ModelRow } from '../wire/effort.ts';
import type { SettingName } from '../wire/settings.ts';

/** Static facts about an OpenAI model, for both chat APIs. */
export type OpenAiModelTraits = {
  /** Supported reasoning efforts; empty: no reasoning. */
  efforts: readonly ReasoningEffort[];
  /** Settings the model rejects. */
  refuses: readonly SettingName[];
};

const SAMPLING: readonly SettingName[] = ['temperature', 'topP', 'presencePenalty', 'frequencyPenalty'];
const LOW_TO_HIGH: readonly ReasoningEffort[] = ['low', 'medium', 'high'];

/**
 * Source: https://developers.openai.com/api/docs/guides/reasoning and the pages of the models; a gateway may prefix the
 * name. A wrong or missing row costs one rejected request; the outcome is then remembered.
 */
export const OPENAI_MODELS: readonly ModelRow<OpenAiModelTraits>[] = [
  row(/(^|\/)gpt-5[\d.]*-chat/, []),
  row(/(^|\/)gpt-5(\.\d+)?-pro/, ['medium', 'high', 'xhigh'], SAMPLING),
  row(/(^|\/)gpt-5\.1-codex-max/, ['low', 'medium', 'high', 'xhigh'], SAMPLING),
  row(/(^|\/)gpt-5(\.1)?-codex/, LOW_TO_HIGH, SAMPLING),
  row(/(^|\/)gpt-5\.\d+-codex/, ['low', 'medium', 'high', 'xhigh'], SAMPLING),
  row(/(^|\/)gpt-5(-mini|-nano)?(-\d{4}|$)/, ['minimal', 'low', 'medium', 'high'], SAMPLING),
  row(/(^|\/)gpt-5\.1/, ['none', 'low', 'medium', 'high']),
  row(/(^|\/)gpt-5\.[2-5]/, ['none', 'low', 'medium', 'high', 'xhigh']),
  row(/(^|\/)gpt-(5\.|[6-9])/, ['none', 'low', 'medium', 'high', 'xhigh', 'max']),
  row(/(^|\/)o[134](-|$)/, LOW_TO_HIGH, [...SAMPLING, 'stop']),
  row(/(^|\/)gpt-oss/, LOW_TO_HIGH),
  row(/(^|\/)(gpt-4|gpt-3|chatgpt)/, []),
];

function row(
  models: RegExp,
  efforts: readonly ReasoningEffort[],
  refuses: readonly SettingName[] = [],
): ModelRow<OpenAiModelTraits> {
  return { models, traits: { efforts, refuses } };
}
