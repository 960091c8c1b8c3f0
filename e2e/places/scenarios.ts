import type { RunEvent } from '@toolyard/protocol';
import type { McpBehaviour, ModelReply } from '@toolyard/testing';
import { reply } from '@toolyard/testing';
import type { PlaceScenario } from './scenario.ts';
import { GO_ON, YES } from './scenario.ts';

/** The server of the tools, the same for all that is told. */
export const NOTES: McpBehaviour = {
  tools: [
    { name: 'jot', does: [{ do: 'text', text: 'jotted' }] },
    { name: 'look', does: [{ do: 'text', text: 'looked' }] },
    { name: 'fail', does: [{ do: 'fail', text: 'the disk is full' }] },
    { name: 'echo', does: [{ do: 'echo' }] },
    { name: 'hang', does: [{ do: 'progress', steps: 1, everyMs: 1 }, { do: 'never' }] },
    { name: 'ring', does: [{ do: 'text', text: 'rung' }] },
  ],
};

const calls = (...names: string[]): ModelReply => reply.toolCalls(names.map((name) => ({ name, arguments: {} })));
const asks = (args: { question: string; choices?: string[] }): ModelReply =>
  reply.toolCalls([{ name: 'ask_user', arguments: args }]);
const done = (): ModelReply => reply.text('Done.');
const BEGUN = 'One two three';
/** In one piece: what is kept of it is the same wherever it is cut. */
const begins = (how: 'thenSilence' | 'thenCut'): ModelReply =>
  reply.text(BEGUN, { pieces: 100, finish: null, done: false, [how]: true });

/** About a thousand tokens. */
const LONG = 'word '.repeat(800);
const long = (): ModelReply => reply.text(LONG, { pieces: 4_000 });
const tooLong = (): ModelReply =>
  reply.error(400, {
    error: { message: 'The maximum context length is 8192 tokens.', code: 'context_length_exceeded' },
  });

const stopsAt =
  (is: (event: RunEvent) => boolean): NonNullable<PlaceScenario['sees']> =>
  async (event, hands) => {
    if (is(event)) await hands.stop();
  };
const hasBegun = (event: RunEvent): boolean => event.type === 'text_delta' && event.text === BEGUN;
const isAsked = (event: RunEvent): boolean => event.type === 'interrupt_requested';

/** What is told in every place. */
export const PLACE_SCENARIOS = {
  'the model writes text': { replies: [done] },
  'the model asks for a tool': { replies: [() => calls('jot'), done] },
  'the model asks for several': { replies: [() => calls('jot', 'look'), done] },
  'the model asks again and again': { replies: [() => calls('jot'), () => calls('look'), done] },
  'the model writes its call as text': {
    replies: [() => reply.text('Let me. <tool_call>{"name": "jot", "arguments": {}}</tool_call>'), done],
    configuration: () => ({ toolMode: 'text' }),
  },
  'the model asks although it was told to answer': {
    replies: [() => calls('jot'), () => calls('jot')],
    configuration: () => ({ limits: { maxTurns: 2 } }),
  },
  'the person refuses': {
    replies: [() => calls('jot'), () => reply.text('Then not.')],
    answers: () => ({ decision: 'refuse', scope: 'once' }),
  },
  'the person refuses with a reason': {
    replies: [() => calls('jot'), () => reply.text('Then on paper.')],
    answers: () => ({ decision: 'refuse', scope: 'once', reason: 'write it on paper' }),
  },
  'the person refuses and ends it': {
    replies: [() => calls('jot', 'look')],
    answers: () => ({ decision: 'refuse', reason: 'wrong house', stops: true }),
  },
  'of several calls one is refused': {
    replies: [() => calls('jot', 'look', 'echo'), done],
    answers: (asked) => ('name' in asked && asked.name === 'look' ? { decision: 'refuse', reason: 'no' } : YES),
  },
  'the person changes the arguments': {
    replies: [() => reply.toolCalls([{ name: 'echo', arguments: { to: 'Ann' } }]), done],
    answers: () => ({ decision: 'approve', scope: 'once', arguments: { to: 'Bert' } }),
  },
  'what was allowed for the conversation is not asked again': {
    replies: [() => calls('jot'), () => calls('jot'), done],
    answers: () => ({ decision: 'approve', scope: 'conversation' }),
  },
  'a rule forbids a call': {
    replies: [() => calls('jot'), () => reply.text('Then not.')],
    configuration: (server) => ({ interventionRules: [{ decision: 'never', tool: `${server}/jot` }] }),
  },
  'nobody is asked where all is allowed': {
    replies: [() => calls('jot', 'look'), done],
    configuration: () => ({ intervention: 'auto' }),
  },
  'the tool fails': { replies: [() => calls('fail'), () => reply.text('It failed.')] },
  'the tool is unknown': { replies: [() => calls('qqqqqqqqqqqqqqqqqqqq'), done] },
  'the arguments cannot be read': {
    replies: [() => reply.toolCalls([{ name: 'jot', arguments: '{"note": ' }]), done],
  },
  'the turns are used up': {
    replies: [() => calls('jot'), () => calls('jot')],
    configuration: () => ({ limits: { maxTurns: 1 } }),
  },
  'the last turn has to answer': {
    replies: [() => calls('jot'), done],
    configuration: () => ({ limits: { maxTurns: 2 } }),
  },
  'the turns are used up with tools to the end': {
    replies: [() => calls('jot')],
    configuration: () => ({ limits: { maxTurns: 1, onMaxTurns: 'error' } }),
  },
  'the same call too often': {
    replies: [() => calls('jot'), () => calls('jot')],
    configuration: () => ({ limits: { maxSameCall: 1 } }),
  },
  'the model writes nothing': { replies: [() => reply.text('')] },
  'the model fails': { replies: [() => reply.error(400, { error: { message: 'no such thing' } })] },

  'stopped in mid-answer': {
    replies: [() => begins('thenSilence'), () => reply.text('I hear.')],
    says: ['Go', 'Are you there?'],
    sees: stopsAt(hasBegun),
  },
  'stopped in mid-call': {
    replies: [() => calls('hang'), () => reply.text('I hear.')],
    says: ['Go', 'Are you there?'],
    sees: stopsAt(({ type }) => type === 'tool_progress'),
  },
  'stopped while a person is asked': {
    replies: [() => calls('jot'), () => reply.text('I hear.')],
    says: ['Go', 'Are you there?'],
    answers: () => null,
    sees: stopsAt(isAsked),
  },
  'stopped while its question is open': {
    hasPerson: true,
    replies: [() => asks({ question: 'Which city?' }), () => reply.text('I hear.')],
    says: ['Go', 'Are you there?'],
    answers: () => null,
    sees: stopsAt(isAsked),
  },
  'stopped while a budget is asked about': {
    replies: [() => calls('jot'), done],
    says: ['Go', 'Are you there?'],
    answers: (asked) => (asked.kind === 'budget' ? null : YES),
    sees: stopsAt((event) => event.type === 'interrupt_requested' && event.interrupt.kind === 'budget'),
    configuration: () => ({ budgets: [{ of: 'run', calls: 1 }] }),
  },
  'it takes too long': {
    replies: [() => begins('thenSilence')],
    configuration: () => ({ limits: { maxWallTimeMs: 8_000 } }),
  },
  'steered before its next step': {
    replies: [
      async ({ steer }) => {
        await steer('The blue one.');
        return calls('jot');
      },
      () => reply.text('Blue it is.'),
    ],
  },
  'steered while it would end': {
    replies: [
      async ({ steer }) => {
        await steer('Shorter.');
        return done();
      },
      () => reply.text('D.'),
    ],
  },
  'steered in mid-call': {
    replies: [() => calls('jot'), () => reply.text('In German.')],
    // While the call waits for the person it cannot go in; behind the call it does.
    sees: async (event, { steer }) => {
      if (event.type === 'interrupt_requested') await steer('In German.');
    },
  },
  'goes on where it was cut by its length': {
    replies: [() => reply.text('One two', { finish: 'length' }), () => reply.text(' three.')],
    says: ['Go', GO_ON],
  },
  'goes on where it was stopped': {
    replies: [() => begins('thenSilence'), () => reply.text(' four.', { pieces: 100 })],
    says: ['Go', GO_ON],
    sees: stopsAt(hasBegun),
  },
  'goes on where the line was lost': {
    replies: [() => begins('thenCut'), () => reply.text(' four.')],
    says: ['Go', GO_ON],
  },

  'the model asks for words': {
    hasPerson: true,
    replies: [() => asks({ question: 'Which city?' }), () => reply.text('Taipei it is.')],
    answers: () => ({ decision: 'say', text: 'Taipei' }),
  },
  'the model asks to choose': {
    hasPerson: true,
    replies: [() => asks({ question: 'How?', choices: ['By train', 'By ship'] }), () => reply.text('By ship.')],
    answers: () => ({ decision: 'choose', chosen: ['By ship'] }),
  },
  'the model asks, and is not answered': {
    hasPerson: true,
    replies: [
      () => asks({ question: 'Which city?' }),
      () => asks({ question: 'How?', choices: ['By train', 'By ship'] }),
      () => reply.text('As I like.'),
    ],
    answers: () => ({ decision: 'decline' }),
  },
  'the model asks beside another call': {
    hasPerson: true,
    replies: [
      () =>
        reply.toolCalls([
          { name: 'jot', arguments: {} },
          { name: 'ask_user', arguments: { question: 'Which city?' } },
        ]),
      done,
    ],
    answers: (asked) => (asked.kind === 'prompt' ? { decision: 'say', text: 'Taipei' } : YES),
  },

  'summed up before the window is full': {
    window: 8_000,
    says: [`one ${LONG}`, `two ${LONG}`, `three ${LONG}`, `four ${LONG}`],
    replies: [long, long, long, () => reply.text('They like long words.'), done],
  },
  'summed up between two turns': {
    window: 8_000,
    says: [`one ${LONG}`, `two ${LONG}`, `three ${LONG}`],
    replies: [
      long,
      long,
      () => reply.toolCalls([{ name: 'echo', arguments: { text: LONG } }]),
      () => reply.text('They like long words.'),
      done,
    ],
  },
  'summed up where the provider says that it is too long': {
    says: [`one ${LONG}`, `two ${LONG}`, 'three'],
    replies: [long, long, tooLong, () => reply.text('Summary.'), done],
  },
  'too long even when it is summed up': {
    says: [`one ${LONG}`, `two ${LONG}`, 'three'],
    replies: [long, long, tooLong, () => reply.text('Summary.'), tooLong],
  },

  'a budget is used up and raised': {
    replies: [() => calls('jot'), done],
    answers: (asked) => (asked.kind === 'budget' ? { decision: 'raise', limit: 5 } : YES),
    configuration: () => ({ budgets: [{ of: 'run', calls: 1 }] }),
  },
  'a budget is used up and stays': {
    replies: [() => calls('jot')],
    answers: (asked) => (asked.kind === 'budget' ? { decision: 'stop' } : YES),
    configuration: () => ({ budgets: [{ of: 'run', calls: 1 }] }),
  },
  'the budget of a conversation is used up by its second message': {
    says: ['Go', 'Again'],
    replies: [done, done],
    answers: () => ({ decision: 'raise', limit: 9 }),
    configuration: () => ({ budgets: [{ of: 'conversation', calls: 1 }] }),
  },
  'the budget of a tool is used up': {
    replies: [() => calls('ring'), () => calls('ring'), done],
    answers: (asked) => (asked.kind === 'budget' ? { decision: 'raise', limit: 1_000 } : YES),
    configuration: (server) => ({ budgets: [{ of: 'tool', tool: `${server}/ring`, calls: 1 }] }),
  },
} satisfies Record<string, PlaceScenario>;
