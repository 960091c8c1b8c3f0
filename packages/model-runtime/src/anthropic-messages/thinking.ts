import type { JsonObject } from '@toolyard/protocol';
import type { ChatRequest } from '../types.ts';
import { BUDGETS, getModelTraits } from './models-data.ts';

/** The field that enables thinking, and the tokens that it may take. */
export type Thinking = { field: JsonObject; budget: number };

/** Output tokens reserved for the answer in addition to thinking. */
const ANSWER_ROOM = 8_192;

/** How Claude thinks in its answer to a request; null if it does not. A forced tool call and thinking exclude each other. */
export function toThinking({ model, parameters, toolMode, toolChoice }: ChatRequest): Thinking | null {
  const effort = parameters.reasoningEffort;
  const isForced = toolMode === 'native' && toolChoice !== 'auto' && toolChoice !== 'none';
  if (effort === undefined || effort === 'none' || isForced) return null;
  switch (getModelTraits(model).thinking) {
    case 'none':
      return null;
    case 'adaptive':
      return { field: { type: 'adaptive', display: 'summarized' }, budget: 0 };
    case 'budget': {
      const budget = BUDGETS[effort];
      return { field: { type: 'enabled', budget_tokens: budget }, budget };
    }
  }
}

/** The API counts thinking as output. The user's limit is for the answer; the thinking budget is added to it. */
export function maxTokens({ model, parameters }: ChatRequest, thinking: Thinking | null): number {
  const budget = thinking?.budget ?? 0;
  if (parameters.maxOutputTokens !== undefined) return parameters.maxOutputTokens + budget;
  return Math.max(getModelTraits(model).maxTokens, budget === 0 ? 0 : budget + ANSWER_ROOM);
}
