import type { FunctionToolGroup } from './function-tools.ts';
import type { ToolContext, ToolOutput } from './tool.ts';
import { tool } from './tool.ts';

const LONGEST_QUESTION = 4_000;
const MOST_CHOICES = 50;
const LONGEST_CHOICE = 500;

const askUser = tool({
  name: 'ask_user',
  title: 'Ask the person',
  description:
    'Asks the person you work for something only they can know or decide, and waits for their answer. Use it when you cannot go on well without it, not for what you can find out or reasonably assume. Give choices where there are some.',
  inputSchema: {
    type: 'object',
    properties: {
      question: { type: 'string', minLength: 1, description: 'What you want to know, in the language of the person.' },
      choices: {
        type: 'array',
        items: { type: 'string', minLength: 1 },
        description: 'What there is to choose from, at least two; leave it out to get an answer in words.',
      },
      multiple: { type: 'boolean', description: 'True where several may be chosen.' },
    },
    required: ['question'],
  },
  annotations: { readOnly: true, openWorld: false },
  onlyAsks: true,
  async execute({ question, choices = [], multiple = false }, ctx) {
    const asked = question.slice(0, LONGEST_QUESTION);
    const distinct = [...new Set(choices.map((choice) => choice.slice(0, LONGEST_CHOICE)))].slice(0, MOST_CHOICES);
    return distinct.length < 2 ? askWords(asked, ctx) : askChoice(asked, distinct, multiple, ctx);
  },
});

/** With it a model can ask the user. The references `person/ask_user` are stored, and never change. */
export const ASK_USER_TOOLS: FunctionToolGroup = { id: 'person', tools: [askUser] };

async function askWords(question: string, ctx: ToolContext): Promise<ToolOutput> {
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

const DECLINED = 'The person does not want to answer this. Go on without it, and do not ask it again.';
