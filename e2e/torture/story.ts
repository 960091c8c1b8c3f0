import type { AgentConfiguration, Interrupt, Message, RunEvent, StoredInterrupt } from '@toolyard/protocol';
import type { McpBehaviour, ModelReply } from '@toolyard/testing';
import type { ModelMessage } from '../support/lives.ts';
import { told } from '../support/transcript.ts';

/** A conversation that is always told the same, with all that is needed to tell it. */
export type Story = {
  name: string;
  /** Of the conversation, besides its model. */
  configuration: AgentConfiguration;
  /** How much the model takes, in tokens; absent: more than is said. */
  contextWindow?: number;
  /** Absent: the tool counts. It is told the file that is there once `call` of {@link Story.steers} has been said. */
  tools?: (file: string) => McpBehaviour;
  /** All but the first wait in the queue while those before are answered. */
  questions: readonly string[];
  /** Said to the run under way, before the question is answered or the first call comes to its end. */
  steers: readonly { during: Interrupt['kind'] | 'call'; text: string }[];
  /** How often the tool is called; the calls are told apart by their argument `n`, from 1 on. */
  calls: number;
  /** By what was said, so that the model says the same however often it is asked. */
  script: (messages: readonly ModelMessage[]) => ModelReply;
};

/** The story as it was told, whatever numbers the counting came to: a call repeated counts on. */
export function toldIn(messages: readonly Message[]): string[] {
  return told(messages).map((line) => line.replace(/^tool: \d+ /, 'tool: counted '));
}

/** Calls that took effect more or less often than a person has consented to. */
export function effectsBeyondConsent(
  calls: number,
  made: readonly number[],
  answered: readonly StoredInterrupt[],
): string[] {
  return Array.from({ length: calls }, (_none, index) => index + 1).flatMap((n) => {
    const effects = made.filter((each) => each === n).length;
    const repeats = answered.filter(
      ({ interrupt, answer }) =>
        interrupt.kind === 'in_doubt' && interrupt.arguments['n'] === n && answer?.decision === 'repeat',
    ).length;
    const fits = repeats === 0 ? effects === 1 : effects >= repeats && effects <= 1 + repeats;
    return fits ? [] : [`call ${n} took effect ${effects} times, and was repeated ${repeats} times on a person's word`];
  });
}

/** Gaps and doubles in what a reader was told. */
export function misnumbered(events: readonly RunEvent[]): string[] {
  return events.flatMap(({ seq }, index) => (seq === index + 1 ? [] : [`event ${index + 1} has the number ${seq}`]));
}

/** What a reader was told more than once that happens once: a question asked or answered, words heard, a summary. */
export function doubled(events: readonly RunEvent[]): string[] {
  const seen = new Set<string>();
  return events.flatMap((event) => {
    const once = onceOf(event);
    if (once === null) return [];
    const isNew = !seen.has(once);
    seen.add(once);
    return isNew ? [] : [`told twice: ${once}`];
  });
}

function onceOf(event: RunEvent): string | null {
  switch (event.type) {
    case 'interrupt_requested':
      return `${event.interrupt.id} is asked`;
    case 'interrupt_answered':
      return `${event.interruptId} is answered`;
    case 'steered':
      return `${event.message.id} is heard`;
    case 'compression_finished':
      return `${event.message.folds?.upTo ?? ''} is summed up`;
    default:
      return null;
  }
}
