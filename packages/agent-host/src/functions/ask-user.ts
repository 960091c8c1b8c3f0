import { say } from '@toolyard/protocol';
import type { FunctionToolGroup, ToolContext, ToolOutput } from './tool.ts';
import { tool } from './tool.ts';

const MAX_QUESTION_LENGTH = 4_000;
const MAX_CHOICES = 50;
const MAX_CHOICE_LENGTH = 500;

const askUser = tool({
  name: 'ask_user',
  title: say`Ask the user`.text,
  description:
    say`Asks the user something that only the user can know or decide, and waits for the answer. Use it only if you cannot continue well without the answer, not for anything that you can find out or reasonably assume. Offer choices if possible.`
      .text,
  inputSchema: {
    type: 'object',
    properties: {
      question: { type: 'string', minLength: 1, description: 'The question, in the language of the user.' },
      choices: {
        type: 'array',
        items: { type: 'string', minLength: 1 },
        description: 'The choices, at least two; omit it for a free-text answer.',
      },
      multiple: { type: 'boolean', description: 'True if several choices may be selected.' },
    },
    required: ['question'],
  },
  annotations: { readOnly: true, openWorld: false },
  onlyAsks: true,
  async execute({ question, choices = [], multiple = false }, ctx) {
    const asked = question.slice(0, MAX_QUESTION_LENGTH);
    const distinct = [...new Set(choices.map((choice) => choice.slice(0, MAX_CHOICE_LENGTH)))].slice(0, MAX_CHOICES);
    return distinct.length < 2 ? askText(asked, ctx) : askChoice(asked, distinct, multiple, ctx);
  },
});

/**
 * The tool with which a model asks the user. The reference `person/ask_user` is stored and never changes.
 *
 * @example
 * const functions = new FunctionTools([ASK_USER_TOOLS]);
 */
export const ASK_USER_TOOLS: FunctionToolGroup = { id: 'person', title: say`Questions to you`.text, tools: [askUser] };

async function askText(question: string, ctx: ToolContext): Promise<ToolOutput> {
  const answer = await ctx.ask({ kind: 'prompt', question });
  return answer.decision === 'say' ? answer.text : DECLINED;
}

async function askChoice(
  question: string,
  choices: string[],
  multiple: boolean,
  ctx: ToolContext,
): Promise<ToolOutput> {
  const answer = await ctx.ask({ kind: 'selection', question, choices, multiple });
  if (answer.decision === 'decline') return DECLINED;
  const { chosen } = answer;
  const text = chosen.join('\n') || 'None of them.';
  return { content: [{ type: 'text', text }], structured: { chosen }, isError: false, outcome: 'done' };
}

const DECLINED = 'The user declined to answer this. Continue without the answer, and do not ask again.';
