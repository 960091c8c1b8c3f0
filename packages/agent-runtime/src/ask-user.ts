import type { JsonObject, PromptInterrupt, SelectionInterrupt } from '@toolyard/protocol';
import type { PendingAsk, PendingCall } from './state.ts';

const LONGEST_QUESTION = 4_000;
const MOST_CHOICES = 50;
const LONGEST_CHOICE = 500;

/**
 * What the arguments of the built-in tool for asking the person ask: a choice where there is something to choose from,
 * else words of their own. They come from a model and have been held against the schema of the tool.
 */
export function readAsk({ question, choices, multiple }: JsonObject): PendingAsk {
  const text = typeof question === 'string' ? question.slice(0, LONGEST_QUESTION) : '';
  const offered = Array.isArray(choices) ? choices.filter((choice) => typeof choice === 'string') : [];
  const distinct = [...new Set(offered.map((choice) => choice.slice(0, LONGEST_CHOICE)))].slice(0, MOST_CHOICES);
  if (distinct.length < 2) return { kind: 'prompt', question: text, isOpen: false };
  return { kind: 'selection', question: text, choices: distinct, multiple: multiple === true, isOpen: false };
}

/** The question a call puts to the person; null where it puts none, or has its answer. */
export function askOf({ callId, tool, name, asks }: PendingCall): PromptInterrupt | SelectionInterrupt | null {
  if (!asks?.isOpen || asks.answer || tool === null) return null;
  const about = { id: `${callId}.${asks.kind}`, callId, tool, name, question: asks.question };
  if (asks.kind === 'prompt') return { ...about, kind: 'prompt' };
  return { ...about, kind: 'selection', choices: asks.choices, multiple: asks.multiple };
}
