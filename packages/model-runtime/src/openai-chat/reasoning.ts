import type { JsonValue, ReasoningEffort } from '@toolyard/protocol';
import { OPENAI_MODELS } from '../openai/models-data.ts';
import { findModelRow, nearestEffort } from '../wire/effort.ts';
import type { ReasoningStyle } from './quirks.ts';

/** The field that sets the reasoning effort; null if the model does not reason. */
export function reasoningField(
  requested: ReasoningEffort,
  model: string,
  style: ReasoningStyle,
): { field: string; value: JsonValue } | null {
  const known = findModelRow(OPENAI_MODELS, model)?.efforts;
  const effort = known === undefined ? requested : nearestEffort(requested, known);
  if (effort === null) return null;
  switch (style) {
    case 'reasoning_effort':
      return { field: style, value: effort };
    case 'reasoning':
      return { field: style, value: { effort } };
    case 'thinking':
      return { field: style, value: { type: effort === 'none' ? 'disabled' : 'enabled' } };
    case 'enable_thinking':
      return { field: style, value: effort !== 'none' };
    case 'chat_template_kwargs':
      return { field: style, value: { enable_thinking: effort !== 'none' } };
  }
}
