import type { ChatRequest, ModelRuntime, StreamPart } from '@toolyard/model-runtime';
import type { AgentConfiguration, Interrupt, InterruptAnswer, Message } from '@toolyard/protocol';
import type { ScriptedAnswer } from '../scripted-model.ts';
import { calls, hangsAfter, says } from '../scripted-model.ts';
import { SAMPLING_PROMPT } from './tools.ts';

/** A conversation that is recorded, and played whenever a recorded run is resumed. Add scenarios, but change none. */
export type CorpusScenario = {
  /** Messages of the user; the second is queued while the first is answered. */
  userMessages: readonly string[];
  /** Answers of the model to each message. */
  says: readonly (readonly (() => ScriptedAnswer)[])[];
  configuration?: AgentConfiguration;
  /** Answers of the user; a call in doubt is repeated. */
  answers?: Readonly<Partial<Record<Interrupt['kind'], InterruptAnswer>>>;
  /** The failpoint at which the recorded process crashes; the next one resumes. */
  diesAt?: string;
  /** The user cancels the run; how much output it has by then is not deterministic. */
  cancelled?: true;
};

const AUTO: AgentConfiguration = { intervention: 'auto' };
const NOTE = { name: 'note', arguments: { about: 'the tide' } };

export const CORPUS_SCENARIOS: Readonly<Record<string, CorpusScenario>> = {
  words: { userMessages: ['Tell me'], says: [[() => reasons('Let me see. ', 'Once ', 'upon a time.')]] },
  'side-by-side': {
    userMessages: ['Note it'],
    configuration: AUTO,
    says: [[() => calls(NOTE, { name: 'note' }), () => calls({ name: 'note' }), () => says('Noted ', 'thrice.')]],
  },
  'written-as-text': {
    userMessages: ['Note it'],
    configuration: AUTO,
    says: [[() => callAsText(), () => unreadable(), () => says('Noted.')]],
  },
  approved: {
    userMessages: ['Note it'],
    answers: { approval: { decision: 'approve', scope: 'conversation' } },
    says: [[() => calls(NOTE, { name: 'research' }), () => says('Done.')]],
  },
  refused: {
    userMessages: ['Note it'],
    answers: { approval: { decision: 'refuse', reason: 'Not today' } },
    says: [[() => calls(NOTE), () => says('As you wish.')]],
  },
  queued: {
    userMessages: ['One', 'Two'],
    configuration: AUTO,
    says: [[() => calls(NOTE), () => says('The ', 'first.')], [() => says('The second.')]],
  },
  'in-doubt': {
    userMessages: ['Note it'],
    configuration: AUTO,
    diesAt: 'run:sent',
    says: [[() => calls(NOTE), () => says('Noted after all.')]],
  },
  'begun-again': {
    userMessages: ['Tell me'],
    diesAt: 'run:streaming',
    says: [[() => says('Once ', 'upon ', 'a time.')]],
  },
  'asked-live': {
    userMessages: ['Book it'],
    configuration: AUTO,
    answers: { elicitation: { decision: 'accept', content: { city: 'Taipei' } } },
    says: [[() => calls({ name: 'book' }), () => says('Booked.')]],
  },
  'asked-in-rounds': {
    userMessages: ['Travel'],
    configuration: AUTO,
    answers: { elicitation: { decision: 'accept', content: { city: 'Taipei' } } },
    says: [[() => calls({ name: 'travel' }, NOTE), () => says('There.')]],
  },
  sampled: {
    userMessages: ['Think'],
    configuration: AUTO,
    answers: { sampling: { decision: 'allow' } },
    says: [[() => calls({ name: 'think' }), () => says('Thought.')]],
  },
  'not-signed-in': {
    userMessages: ['Any mail?'],
    configuration: AUTO,
    answers: { sign_in: { decision: 'decline' } },
    says: [[() => calls({ name: 'mail' }), () => says('I cannot look.')]],
  },
  'asked-person': {
    userMessages: ['Ask me'],
    configuration: AUTO,
    answers: { prompt: { decision: 'say', text: 'Taipei' } },
    says: [[() => calls({ name: 'ask_user', arguments: { question: 'Which city?' } }, NOTE), () => says('Taipei.')]],
  },
  'asked-twice': {
    userMessages: ['Survey'],
    configuration: AUTO,
    answers: {
      prompt: { decision: 'say', text: 'Taiwan' },
      elicitation: { decision: 'accept', content: { city: 'Taipei' } },
    },
    says: [[() => calls({ name: 'survey' }), () => says('Surveyed.')]],
  },
  'over-budget': {
    userMessages: ['Note it'],
    configuration: { ...AUTO, budgets: [{ of: 'run', calls: 1 }] },
    answers: { budget: { decision: 'raise', limit: 9, scope: 'run' } },
    says: [[() => calls(NOTE), () => says('Noted.')]],
  },
  task: {
    userMessages: ['Research'],
    configuration: AUTO,
    says: [[() => calls({ name: 'research' }), () => says('Found.')]],
  },
  'last-turn': {
    userMessages: ['Note it'],
    configuration: { ...AUTO, limits: { maxTurns: 2 } },
    says: [[() => calls(NOTE), () => says('That was all I may do.')]],
  },
  cancelled: { userMessages: ['Tell me'], cancelled: true, says: [[() => hangsAfter('Half a ', 'word').answer]] },
  failed: { userMessages: ['Tell me'], says: [[() => breaks('Half')]] },
};

/** The model of a scenario. Its answers depend only on the request, so that replays are deterministic. */
export function createModel(scenario: CorpusScenario): ModelRuntime {
  return {
    provider: 'corpus',
    async *chat(request, { signal = new AbortController().signal } = {}) {
      const answer = answerTo(scenario, request);
      const batches = typeof answer === 'function' ? answer(request, signal) : answer;
      for await (const batch of batches) {
        signal.throwIfAborted();
        yield batch;
      }
    },
    models: () => Promise.resolve([]),
  };
}

function answerTo({ says: answers }: CorpusScenario, { messages }: ChatRequest): ScriptedAnswer {
  if (isAside(messages[0])) return says('Hi');
  const asked = messages.filter(({ role }) => role === 'user').length;
  const since = messages.slice(messages.findLastIndex(({ role }) => role === 'user') + 1);
  const answer = answers[asked - 1]?.[since.filter(({ role }) => role === 'assistant').length];
  if (!answer) throw new Error('the story has no answer to that');
  return answer();
}

function isAside(message: Message | undefined): boolean {
  const [part] = message?.parts ?? [];
  return message?.role === 'system' && part?.type === 'text' && part.text === SAMPLING_PROMPT;
}

function reasons(thought: string, ...words: string[]): ScriptedAnswer {
  return [
    [{ type: 'reasoning', text: thought }],
    [{ type: 'reasoning_signature', signature: 'c2VhbGVk' }],
    ...words.map((text): StreamPart[] => [{ type: 'text', text }]),
    [
      { type: 'citation', url: 'https://example.com/', title: 'Tales' },
      { type: 'usage', usage: { inputTokens: 9, outputTokens: 4 } },
      { type: 'finish', reason: 'stop' },
    ],
  ];
}

/** A tool call written as text, without an id of the provider. */
function callAsText(): ScriptedAnswer {
  return [
    [{ type: 'text', text: 'So: ' }],
    [{ type: 'tool_call_start', index: 0, name: 'note' }],
    [{ type: 'tool_call_delta', index: 0, argumentsText: '{"about":' }],
    [{ type: 'tool_call', index: 0, name: 'note', arguments: { about: 1 }, argumentsText: '{"about":1}' }],
    [{ type: 'finish', reason: 'tool_calls' }],
  ];
}

function unreadable(): ScriptedAnswer {
  const raw = '<tool_call>{"name": "note", </tool_call>';
  return [[{ type: 'malformed_tool_call', raw, reason: 'It is not JSON.' }], [{ type: 'finish', reason: 'stop' }]];
}

function breaks(...words: string[]): ScriptedAnswer {
  return [
    ...words.map((text): StreamPart[] => [{ type: 'text', text }]),
    [{ type: 'error', error: { code: 'overloaded', message: 'Too much to do.' } }],
  ];
}
