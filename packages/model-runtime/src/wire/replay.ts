import { isJsonObject, parseJson, type JsonObject } from '@toolyard/protocol';
import type { AssistantMessage, AssistantPart, Message } from '@toolyard/protocol';
import { turnStart } from './messages.ts';
import type { WireName } from '@toolyard/protocol';

/** Tags opaque data of a provider with the wire it came from: no other wire can read it. */
export function sealReplay(wire: WireName, content: string): string {
  return `${wire}:${content}`;
}

/** The data sealed by this wire; null for any other. */
export function unsealReplay(wire: WireName, signature: string | undefined): string | null {
  return signature?.startsWith(`${wire}:`) === true ? signature.slice(wire.length + 1) : null;
}

/** The JSON object sealed by this wire; null for anything else. */
export function unsealObject(wire: WireName, signature: string | undefined): JsonObject | null {
  const parsed = parseJson(unsealReplay(wire, signature) ?? '');
  return parsed.ok && isJsonObject(parsed.value) ? parsed.value : null;
}

/** True if the sealed data of `message` may be sent back: a model reads only its own. */
export function isFromModel(message: AssistantMessage, model: string): boolean {
  return message.model === model;
}

/**
 * Which reasoning of earlier answers a model receives.
 *
 * Rule: a model gets back only reasoning of its own. `none`: the server rejects it; `own`: as much as the API expects;
 * `in_every_call`: all of it, and {@link NO_REASONING} where a call has none, because the server rejects a call without.
 */
export type ReplayedReasoning = 'none' | 'own' | 'in_every_call';

/** Stands for the reasoning of a call that another model made, or this one without thinking. */
export const NO_REASONING = '(no reasoning was kept)';

/** The features of requests that these levels omit. */
export const REPLAY_FEATURES = { replay: 'replay', gaps: 'calls_without_reasoning' } as const;

/** The level that a server accepts. `fills`: it is known to reject calls without reasoning. */
export function replayedReasoning(without: ReadonlySet<string>, fills = false): ReplayedReasoning {
  if (without.has(REPLAY_FEATURES.replay)) return 'none';
  return fills || without.has(REPLAY_FEATURES.gaps) ? 'in_every_call' : 'own';
}

/**
 * What to change after a rejection that names the reasoning: first add what a call lacks, then omit all. The content of the
 * request decides, not the words of the server. Null: both were tried.
 */
export function replayFallback(
  messages: readonly Message[],
  without: ReadonlySet<string>,
  model: string,
): { without: string } | null {
  if (without.has(REPLAY_FEATURES.replay)) return null;
  const start = turnStart(messages);
  const lacks = messages.some(
    (message, at) =>
      message.role === 'assistant' &&
      message.parts.some((part) => part.type === 'tool_call') &&
      (at < start || !isFromModel(message, model) || !message.parts.some(isSealed)),
  );
  return { without: lacks && !without.has(REPLAY_FEATURES.gaps) ? REPLAY_FEATURES.gaps : REPLAY_FEATURES.replay };
}

function isSealed(part: AssistantPart): boolean {
  return part.type === 'reasoning' && part.signature !== undefined;
}
