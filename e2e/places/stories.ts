import type { McpBehaviour, ModelReply } from '@toolyard/testing';
import { reply } from '@toolyard/testing';
import type { Story } from './story.ts';

/** The server of the tools, the same for all that is told. */
export const NOTES: McpBehaviour = {
  tools: [
    { name: 'jot', does: [{ do: 'text', text: 'jotted' }] },
    { name: 'look', does: [{ do: 'text', text: 'looked' }] },
    { name: 'fail', does: [{ do: 'fail', text: 'the disk is full' }] },
  ],
};

const calls = (...names: string[]): ModelReply => reply.toolCalls(names.map((name) => ({ name, arguments: {} })));
const done = (): ModelReply => reply.text('Done.');

/** What is told in every place. */
export const STORIES: Record<string, Story> = {
  'the model writes text': { replies: [done] },
  'the model asks for a tool': { replies: [() => calls('jot'), done] },
  'the model asks for several': { replies: [() => calls('jot', 'look'), done] },
  'the model asks again and again': { replies: [() => calls('jot'), () => calls('look'), done] },
  'the person refuses': {
    replies: [() => calls('jot'), () => reply.text('Then not.')],
    answers: () => ({ decision: 'refuse', scope: 'once' }),
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
  'the same call too often': {
    replies: [() => calls('jot'), () => calls('jot')],
    configuration: () => ({ limits: { maxSameCall: 1 } }),
  },
  'the model writes nothing': { replies: [() => reply.text('')] },
  'the model fails': { replies: [() => reply.error(400, { error: { message: 'no such thing' } })] },
};
