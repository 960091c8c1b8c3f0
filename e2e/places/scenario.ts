import type { AgentConfiguration, Interrupt, InterruptAnswer, Message, RunEvent } from '@toolyard/protocol';
import type { ModelReply } from '@toolyard/testing';
import { transcriptLines } from '../support/transcript.ts';

/** What a person can do to a run under way, wherever it is. */
export type RunControls = {
  /** Resolves when the run is sure to hear it before its next step. */
  steer: (text: string) => Promise<void>;
  stop: () => Promise<void>;
};

/** The person goes on with the answer that was cut, in place of saying something. */
export const GO_ON = Symbol('goes on');

/** What the model says, request by request, and what the person does about it. */
export type PlaceScenario = {
  replies: readonly ((hands: RunControls) => ModelReply | Promise<ModelReply>)[];
  /** One run for each; default one that says "Go". */
  says?: readonly (string | typeof GO_ON)[];
  /** What is said to a question; null: nothing. Default yes, once. */
  answers?: (asked: Interrupt) => InterruptAnswer | null;
  /** The model can ask the person. */
  hasPerson?: true;
  /** Called with everything that is told of the runs. */
  sees?: (event: RunEvent, hands: RunControls) => Promise<void> | void;
  /** What the model can take, in tokens; absent: nobody knows. */
  window?: number;
  /** How the conversation is set up; `server` is what the server of the tools is called there. */
  configuration?: (server: string) => Configuration;
};

type Configuration = Pick<AgentConfiguration, 'limits' | 'budgets' | 'interventionRules' | 'intervention' | 'toolMode'>;

/** The conversation, how each of its runs ended, and what the person was asked and said to it. */
export type ScenarioResult = { told: string[]; ends: string[]; asked: string[] };

export const YES: InterruptAnswer = { decision: 'approve', scope: 'once' };

export function answerTo({ answers }: PlaceScenario, asked: Interrupt): InterruptAnswer | null {
  return answers ? answers(asked) : YES;
}

export function transcriptOf(messages: readonly Message[], events: readonly RunEvent[]): ScenarioResult {
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
  // A server of a browser is called so.
  return { told: transcriptLines(messages).map((line) => line.replaceAll('browser-notes', 'notes')), ends, asked };
}
