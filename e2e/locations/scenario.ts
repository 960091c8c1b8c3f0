import type { AgentConfiguration, Interrupt, InterruptAnswer, Message, RunEvent } from '@toolyard/protocol';
import type { ModelReply } from '@toolyard/testing';
import { transcriptLines } from '../support/transcript.ts';

/** Actions of a user on a run in progress, in any location. */
export type RunControls = {
  /** Resolves when the run will certainly receive the message before its next step. */
  steer: (text: string) => Promise<void>;
  stop: () => Promise<void>;
};

/** Continue a cut-off answer instead of sending a message. */
export const CONTINUE = Symbol('continue');

/** Replies of the model, request by request, and actions of the user. */
export type LocationScenario = {
  replies: readonly ((controls: RunControls) => ModelReply | Promise<ModelReply>)[];
  /** One run per message; default: "Go". */
  messages?: readonly (string | typeof CONTINUE)[];
  /** The answer to an interrupt; null: none. Default: allow once. */
  answers?: (asked: Interrupt) => InterruptAnswer | null;
  /** The model can ask the user. */
  hasUser?: true;
  /** Called with every event of the runs. */
  onEvent?: (event: RunEvent, controls: RunControls) => Promise<void> | void;
  /** Context window of the model in tokens; default: unknown. */
  window?: number;
  /** Configuration of the conversation; `server` is the ID of the tool server there. */
  configuration?: (server: string) => Configuration;
};

type Configuration = Pick<AgentConfiguration, 'limits' | 'budgets' | 'interventionRules' | 'intervention' | 'toolMode'>;

/** Transcript, final status of each run, and interrupts with their answers. */
export type ScenarioResult = { transcript: string[]; ends: string[]; asked: string[] };

export const YES: InterruptAnswer = { decision: 'approve', scope: 'once' };

export function answerTo({ answers }: LocationScenario, asked: Interrupt): InterruptAnswer | null {
  return answers ? answers(asked) : YES;
}

export function toTranscript(messages: readonly Message[], events: readonly RunEvent[]): ScenarioResult {
  const kinds = new Map<string, string>();
  const asked: string[] = [];
  const ends: string[] = [];
  for (const event of events) {
    if (event.type === 'interrupt_requested') kinds.set(event.interrupt.id, event.interrupt.kind);
    if (event.type === 'interrupt_answered') {
      asked.push(`${kinds.get(event.interruptId) ?? 'nothing'}: ${event.answer.decision}`);
    }
    if (event.type === 'run_finished') ends.push(event.error ? `${event.status}: ${event.error.code}` : event.status);
  }
  // Browser servers have this prefix.
  return {
    transcript: transcriptLines(messages).map((line) => line.replaceAll('browser-notes', 'notes')),
    ends,
    asked,
  };
}
