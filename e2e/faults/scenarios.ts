import type { ModelReply } from '@toolyard/testing';
import { reply } from '@toolyard/testing';
import type { ModelMessage } from '../support/server-instances.ts';
import type { Scenario } from './scenario.ts';

const count = (n: number) => ({ id: `call_${n}`, name: 'count', arguments: { n } });

/** The model's answers to each message: parallel calls, and some alone. */
const COUNTED: readonly (readonly ModelReply[])[] = [
  [
    reply.toolCalls([count(1), count(2)], { text: 'Let me count.', pieces: 8, delayMs: 1 }),
    reply.toolCalls([count(3)], { text: '', pieces: 20, delayMs: 1 }),
    reply.text('I have counted all there was, as you asked me to do.', { pieces: 13, delayMs: 2 }),
  ],
  [
    reply.toolCalls([count(4)], { text: 'Again.', pieces: 8, delayMs: 1 }),
    reply.text('That was once more.', { pieces: 10, delayMs: 1 }),
  ],
];

/** Tools that need approval, and a second message that waits in the queue. */
const COUNTING: Scenario = {
  name: 'counting',
  configuration: {},
  userMessages: ['Count, please.', 'And once more.'],
  steers: [],
  script: (messages) => {
    const userMessages = messages.filter(({ role }) => role === 'user').length;
    const since = messages.slice(messages.findLastIndex(({ role }) => role === 'user') + 1);
    const said = since.filter(({ role }) => role === 'assistant').length;
    return COUNTED[userMessages - 1]?.[said] ?? NO_ANSWER;
  },
};

/** About three hundred tokens. */
export const LONG = 'and so on and on '.repeat(70);

/** The model's answers, by the last call that has a result. */
const TALKED: Readonly<Record<string, ModelReply>> = {
  'none yet': reply.toolCalls(
    [
      { id: 'city', name: 'ask_user', arguments: { question: 'Which city?' } },
      { id: 'colour', name: 'ask_user', arguments: { question: 'Which colour?', choices: ['red', 'green'] } },
    ],
    { text: 'Two questions first.', pieces: 20 },
  ),
  colour: reply.toolCalls([count(1)], { text: 'One.', pieces: 20 }),
  call_1: reply.toolCalls([count(2), count(3)], { text: `Two and three, ${LONG}`, pieces: 100 }),
  call_3: reply.text('In Bern, in green, counted to three.', { pieces: 10, delayMs: 1 }),
};

/** Interrupts by the model, messages to the run in progress, a budget that is raised, a compaction. */
const TALKING: Scenario = {
  name: 'talking',
  configuration: { intervention: 'auto', budgets: [{ of: 'run', calls: 2 }] },
  contextWindow: 1_250,
  tools: (file) => ({ tools: [{ name: 'count', does: [{ do: 'count' }, { do: 'wait_for_file', file }] }] }),
  userMessages: [`Paint the house. ${LONG}`],
  steers: [
    { during: 'selection', text: 'Be quick.' },
    { during: 'call', text: `Tell me all of it. ${LONG}` },
  ],
  script: (messages) => {
    if (isCompaction(messages)) return reply.text('A house is to be painted green, in Bern.', { pieces: 20 });
    const answered = messages.findLast(({ role }) => role === 'tool')?.tool_call_id ?? 'none yet';
    return TALKED[answered] ?? NO_ANSWER;
  },
};

/** What the run delegates. */
export const TASKS = [
  { title: 'Counter', task: 'Count for me.', tools: ['count'] },
  { title: 'Reader', task: 'Read for me.', context: 'inherit' },
  { title: 'Asker', task: 'Ask for me.' },
];

/** The model's answers to each task, by the number of answers before. */
const TASKED: Readonly<Record<string, readonly ModelReply[]>> = {
  'Share the work.': [
    reply.toolCalls([{ id: 'share', name: 'delegate_task', arguments: { tasks: TASKS } }], { text: 'Sharing.' }),
    reply.text('The work is done.', { pieces: 6, delayMs: 1 }),
  ],
  'Count for me.': [
    reply.toolCalls([count(1)], { text: 'Counting.', pieces: 8, delayMs: 1 }),
    reply.text('Counted.', { pieces: 4, delayMs: 1 }),
  ],
  'Read for me.': [reply.text('It was to share the work.', { pieces: 10, delayMs: 1 })],
  'Ask for me.': [
    reply.toolCalls([{ id: 'city', name: 'ask_user', arguments: { question: 'Which city?' } }]),
    reply.text('It is Bern.', { pieces: 4, delayMs: 1 }),
  ],
};

/** A run with three sub-agents: one calls a tool, one answers at once, one asks the user. */
const DELEGATING: Scenario = {
  name: 'delegating',
  configuration: { intervention: 'auto', servers: { 'sub-agents': true } },
  delegates: true,
  userMessages: ['Share the work.'],
  steers: [],
  script: (messages) => {
    const at = messages.findLastIndex(({ role }) => role === 'user');
    const said = messages.slice(at + 1).filter(({ role }) => role === 'assistant').length;
    const task = TASKS[Number(taskOfRequest(messages) || NaN)]?.task ?? 'Share the work.';
    return TASKED[task]?.[said] ?? NO_ANSWER;
  },
};

/** The members of the group, each with one turn. */
const MEMBERS = ['Ada', 'Bob', 'Cy'];

/** The answers of the supervisor and of each member, by the number of its answers before. */
const GROUPED: Readonly<Record<string, readonly ModelReply[]>> = {
  '': [
    reply.toolCalls([{ id: 'all', name: 'broadcast', arguments: { members: ['Ada', 'Bob'], instruction: 'Begin.' } }], {
      text: 'You two first.',
      pieces: 8,
      delayMs: 1,
    }),
    reply.toolCalls([{ id: 'one', name: 'speak', arguments: { member: 'Cy', private: true } }]),
    reply.text('All is said.', { pieces: 6, delayMs: 1 }),
  ],
  ada: [
    reply.toolCalls([count(1)], { text: 'Counting.', pieces: 8, delayMs: 1 }),
    reply.text('I have counted.', { pieces: 4, delayMs: 1 }),
  ],
  bob: [reply.text('It was to begin.', { pieces: 10, delayMs: 1 })],
  cy: [
    reply.toolCalls([{ id: 'city', name: 'ask_user', arguments: { question: 'Which city?' } }]),
    reply.text('It is Bern.', { pieces: 4, delayMs: 1 }),
  ],
};

/** A group with a supervisor: two members answer at the same time, then one asks the user. */
const GROUPING: Scenario = {
  name: 'grouping',
  configuration: { intervention: 'auto' },
  delegates: true,
  group: {
    agents: MEMBERS.map((title) => ({ id: title.toLowerCase(), title })),
    group: {
      id: 'team',
      title: 'Team',
      members: MEMBERS.map((title) => ({ agentId: title.toLowerCase() })),
      mode: { kind: 'supervisor', supervisor: { instructions: '' } },
    },
  },
  userMessages: ['Talk it over.'],
  steers: [],
  script: (messages) => {
    const member = memberOfRequest(messages);
    const at = member === '' ? -1 : messages.findLastIndex(({ role }) => role === 'user');
    const said = messages.slice(at + 1).filter(({ role }) => role === 'assistant').length;
    return GROUPED[member]?.[said] ?? NO_ANSWER;
  },
};

export const SCENARIOS: readonly Scenario[] = [COUNTING, TALKING, DELEGATING, GROUPING];

/** The member of the group that a model request is for; empty for any other request. */
function memberOfRequest([first]: readonly ModelMessage[]): string {
  const [, name = ''] = /You are (\w+), a member of the group/.exec(JSON.stringify(first?.content ?? '')) ?? [];
  return name.toLowerCase();
}

/** The number of the task, or the member, that a model request is for; empty for the run that delegates. */
export function taskOfRequest(messages: readonly ModelMessage[]): string {
  const member = memberOfRequest(messages);
  if (member !== '') return member;
  // One that inherits the conversation has its task after the message before it.
  const userMessage = JSON.stringify(messages.findLast(({ role }) => role === 'user')?.content ?? '');
  const index = TASKS.findIndex(({ task }) => userMessage.includes(task));
  return index === -1 ? '' : String(index);
}

const NO_ANSWER = reply.text('The script has no answer to that.');

function isCompaction([first]: readonly ModelMessage[]): boolean {
  return JSON.stringify(first?.content ?? '').includes('You summarize');
}
