import type { RunEvent } from '@toolyard/protocol';
import type { McpBehaviour, ModelReply } from '@toolyard/testing';
import { reply } from '@toolyard/testing';
import type { LocationScenario } from './scenario.ts';
import { CONTINUE, YES } from './scenario.ts';

/** The tool server of all scenarios. */
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
const START = 'One two three';
/** In one piece, so that the same text is stored in every location. */
const begins = (how: 'thenSilence' | 'thenCut'): ModelReply =>
  reply.text(START, { pieces: 100, finish: null, done: false, [how]: true });

/** About a thousand tokens. */
const LONG = 'word '.repeat(800);
const long = (): ModelReply => reply.text(LONG, { pieces: 4_000 });
const tooLong = (): ModelReply =>
  reply.error(400, {
    error: { message: 'The maximum context length is 8192 tokens.', code: 'context_length_exceeded' },
  });

const stopsAt =
  (is: (event: RunEvent) => boolean): NonNullable<LocationScenario['onEvent']> =>
  async (event, controls) => {
    if (is(event)) await controls.stop();
  };
const isStart = (event: RunEvent): boolean => event.type === 'text_delta' && event.text === START;
const isAsked = (event: RunEvent): boolean => event.type === 'interrupt_requested';

/** The scenarios that run in every location. */
export const LOCATION_SCENARIOS = {
  'the model writes text': { replies: [done] },
  'the model calls a tool': { replies: [() => calls('jot'), done] },
  'the model calls several tools': { replies: [() => calls('jot', 'look'), done] },
  'the model calls tools over several turns': { replies: [() => calls('jot'), () => calls('look'), done] },
  'the model writes a text tool call': {
    replies: [() => reply.text('Let me. <tool_call>{"name": "jot", "arguments": {}}</tool_call>'), done],
    configuration: () => ({ toolMode: 'text' }),
  },
  'the model calls a tool although it must answer': {
    replies: [() => calls('jot'), () => calls('jot')],
    configuration: () => ({ limits: { maxTurns: 2 } }),
  },
  'the user denies a call': {
    replies: [() => calls('jot'), () => reply.text('Then not.')],
    answers: () => ({ decision: 'refuse', scope: 'once' }),
  },
  'the user denies a call with a reason': {
    replies: [() => calls('jot'), () => reply.text('Then on paper.')],
    answers: () => ({ decision: 'refuse', scope: 'once', reason: 'write it on paper' }),
  },
  'the user denies a call and stops the run': {
    replies: [() => calls('jot', 'look')],
    answers: () => ({ decision: 'refuse', reason: 'wrong house', stops: true }),
  },
  'the user denies one of several calls': {
    replies: [() => calls('jot', 'look', 'echo'), done],
    answers: (asked) => ('name' in asked && asked.name === 'look' ? { decision: 'refuse', reason: 'no' } : YES),
  },
  'the user edits the arguments': {
    replies: [() => reply.toolCalls([{ name: 'echo', arguments: { to: 'Ann' } }]), done],
    answers: () => ({ decision: 'approve', scope: 'once', arguments: { to: 'Bert' } }),
  },
  'a call allowed for the conversation does not ask again': {
    replies: [() => calls('jot'), () => calls('jot'), done],
    answers: () => ({ decision: 'approve', scope: 'conversation' }),
  },
  'a rule forbids a call': {
    replies: [() => calls('jot'), () => reply.text('Then not.')],
    configuration: (server) => ({ interventionRules: [{ decision: 'never', tool: `${server}/jot` }] }),
  },
  'no call asks for approval': {
    replies: [() => calls('jot', 'look'), done],
    configuration: () => ({ intervention: 'auto' }),
  },
  'the tool fails': { replies: [() => calls('fail'), () => reply.text('It failed.')] },
  'the tool is unknown': { replies: [() => calls('qqqqqqqqqqqqqqqqqqqq'), done] },
  'the arguments are malformed': {
    replies: [() => reply.toolCalls([{ name: 'jot', arguments: '{"note": ' }]), done],
  },
  'the turns are used up': {
    replies: [() => calls('jot'), () => calls('jot')],
    configuration: () => ({ limits: { maxTurns: 1 } }),
  },
  'the last turn must answer': {
    replies: [() => calls('jot'), done],
    configuration: () => ({ limits: { maxTurns: 2 } }),
  },
  'the turns are used up by tool calls': {
    replies: [() => calls('jot')],
    configuration: () => ({ limits: { maxTurns: 1, onMaxTurns: 'error' } }),
  },
  'the model repeats a call too often': {
    replies: [() => calls('jot'), () => calls('jot')],
    configuration: () => ({ limits: { maxSameCall: 1 } }),
  },
  'the model writes nothing': { replies: [() => reply.text('')] },
  'the model fails': { replies: [() => reply.error(400, { error: { message: 'no such thing' } })] },

  'cancelled during an answer': {
    replies: [() => begins('thenSilence'), () => reply.text('I hear.')],
    messages: ['Go', 'Are you there?'],
    onEvent: stopsAt(isStart),
  },
  'cancelled during a call': {
    replies: [() => calls('hang'), () => reply.text('I hear.')],
    messages: ['Go', 'Are you there?'],
    onEvent: stopsAt(({ type }) => type === 'tool_progress'),
  },
  'cancelled during an approval': {
    replies: [() => calls('jot'), () => reply.text('I hear.')],
    messages: ['Go', 'Are you there?'],
    answers: () => null,
    onEvent: stopsAt(isAsked),
  },
  'cancelled during an interrupt of the model': {
    hasUser: true,
    replies: [() => asks({ question: 'Which city?' }), () => reply.text('I hear.')],
    messages: ['Go', 'Are you there?'],
    answers: () => null,
    onEvent: stopsAt(isAsked),
  },
  'cancelled during a budget interrupt': {
    replies: [() => calls('jot'), done],
    messages: ['Go', 'Are you there?'],
    answers: (asked) => (asked.kind === 'budget' ? null : YES),
    onEvent: stopsAt((event) => event.type === 'interrupt_requested' && event.interrupt.kind === 'budget'),
    configuration: () => ({ budgets: [{ of: 'run', calls: 1 }] }),
  },
  'the run times out': {
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
  'steered at its last step': {
    replies: [
      async ({ steer }) => {
        await steer('Shorter.');
        return done();
      },
      () => reply.text('D.'),
    ],
  },
  'steered during a call': {
    replies: [() => calls('jot'), () => reply.text('In German.')],
    // The run receives the message after the call, which waits for approval.
    onEvent: async (event, { steer }) => {
      if (event.type === 'interrupt_requested') await steer('In German.');
    },
  },
  'continues after the length limit': {
    replies: [() => reply.text('One two', { finish: 'length' }), () => reply.text(' three.')],
    messages: ['Go', CONTINUE],
  },
  'continues after a cancellation': {
    replies: [() => begins('thenSilence'), () => reply.text(' four.', { pieces: 100 })],
    messages: ['Go', CONTINUE],
    onEvent: stopsAt(isStart),
  },
  'continues after a lost connection': {
    replies: [() => begins('thenCut'), () => reply.text(' four.')],
    messages: ['Go', CONTINUE],
  },

  'the model asks for text': {
    hasUser: true,
    replies: [() => asks({ question: 'Which city?' }), () => reply.text('Taipei it is.')],
    answers: () => ({ decision: 'say', text: 'Taipei' }),
  },
  'the model asks for a choice': {
    hasUser: true,
    replies: [() => asks({ question: 'How?', choices: ['By train', 'By ship'] }), () => reply.text('By ship.')],
    answers: () => ({ decision: 'choose', chosen: ['By ship'] }),
  },
  'the user declines interrupts of the model': {
    hasUser: true,
    replies: [
      () => asks({ question: 'Which city?' }),
      () => asks({ question: 'How?', choices: ['By train', 'By ship'] }),
      () => reply.text('As I like.'),
    ],
    answers: () => ({ decision: 'decline' }),
  },
  'the model asks the user beside another call': {
    hasUser: true,
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

  'compacts before the context window is full': {
    window: 8_000,
    messages: [`one ${LONG}`, `two ${LONG}`, `three ${LONG}`, `four ${LONG}`],
    replies: [long, long, long, () => reply.text('They like long words.'), done],
  },
  'compacts between two turns': {
    window: 8_000,
    messages: [`one ${LONG}`, `two ${LONG}`, `three ${LONG}`],
    replies: [
      long,
      long,
      () => reply.toolCalls([{ name: 'echo', arguments: { text: LONG } }]),
      () => reply.text('They like long words.'),
      done,
    ],
  },
  'compacts after a context length error': {
    messages: [`one ${LONG}`, `two ${LONG}`, 'three'],
    replies: [long, long, tooLong, () => reply.text('Summary.'), done],
  },
  'context length error after compaction': {
    messages: [`one ${LONG}`, `two ${LONG}`, 'three'],
    replies: [long, long, tooLong, () => reply.text('Summary.'), tooLong],
  },

  'a budget is used up and raised': {
    replies: [() => calls('jot'), done],
    answers: (asked) => (asked.kind === 'budget' ? { decision: 'raise', limit: 5 } : YES),
    configuration: () => ({ budgets: [{ of: 'run', calls: 1 }] }),
  },
  'a budget is used up and not raised': {
    replies: [() => calls('jot')],
    answers: (asked) => (asked.kind === 'budget' ? { decision: 'stop' } : YES),
    configuration: () => ({ budgets: [{ of: 'run', calls: 1 }] }),
  },
  'the budget of a conversation is used up by its second message': {
    messages: ['Go', 'Again'],
    replies: [done, done],
    answers: () => ({ decision: 'raise', limit: 9 }),
    configuration: () => ({ budgets: [{ of: 'conversation', calls: 1 }] }),
  },
  'the budget of a tool is used up': {
    replies: [() => calls('ring'), () => calls('ring'), done],
    answers: (asked) => (asked.kind === 'budget' ? { decision: 'raise', limit: 1_000 } : YES),
    configuration: (server) => ({ budgets: [{ of: 'tool', tool: `${server}/ring`, calls: 1 }] }),
  },
} satisfies Record<string, LocationScenario>;
