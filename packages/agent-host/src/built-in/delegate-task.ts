import type { SubAgentTask, ToolResult } from '@toolyard/protocol';
import { defined, MAX_SUB_AGENT_TASKS, say, ToolyardError } from '@toolyard/protocol';
import type { SubAgentResult } from '../sub-agents.ts';
import { NO_SUB_AGENTS } from '../functions/no-user-error.ts';
import type { FromJsonSchema } from '../functions/json-schema.ts';
import type { FunctionToolGroup } from '../functions/tool.ts';
import { tool } from '../functions/tool.ts';

/** Each answer is shortened to this length; the conversation of the sub-agent has all of it. */
const MAX_ANSWER_LENGTH = 30_000;
const TITLE_LENGTH = 80;

const TASK = {
  type: 'object',
  properties: {
    task: { type: 'string', minLength: 1, description: 'The complete task, in the language of the user.' },
    title: { type: 'string', minLength: 1, maxLength: 200, description: 'A title of a few words.' },
    context: {
      type: 'string',
      enum: ['none', 'summary', 'inherit'],
      description:
        'What it knows of this conversation: nothing (default), a summary, or all of it. Pass on as little as the task needs.',
    },
    agent: {
      type: 'string',
      minLength: 1,
      description: 'Id or title of a configured agent; default: like you.',
    },
    model: { type: 'string', minLength: 1, description: 'Another model, as provider/model.' },
    tools: {
      type: 'array',
      items: { type: 'string' },
      description: 'Names of those of your tools that it may use; default: all of them.',
    },
    maxTurns: { type: 'integer', minimum: 1, description: 'At most this many model requests.' },
    timeoutSeconds: { type: 'integer', minimum: 1, description: 'Its time limit in seconds; default 900.' },
  },
  required: ['task'],
} as const;

const delegateTask = tool({
  name: 'delegate_task',
  title: say`Delegate to sub-agents`.text,
  description:
    say`Gives tasks to sub-agents, which work on them at the same time in conversations of their own, and returns their answers when all have finished. Use it for tasks that are independent of each other, or that need many steps whose details do not matter here. A sub-agent knows only its task, unless you pass on the conversation: describe the task completely, with everything it needs to know and what to return.`
      .text,
  inputSchema: {
    type: 'object',
    properties: {
      tasks: {
        type: 'array',
        minItems: 1,
        maxItems: MAX_SUB_AGENT_TASKS,
        description: 'One sub-agent works on each.',
        items: TASK,
      },
    },
    required: ['tasks'],
  },
  // What the sub-agents do is checked and approved in their own runs.
  annotations: { readOnly: true, openWorld: false },
  isolated: true,
  async execute({ tasks }, { delegate }) {
    if (!delegate) throw new ToolyardError(NO_SUB_AGENTS);
    const results = await delegate(tasks.map(toTask));
    return toResult(results);
  },
});

/**
 * The tool with which a model delegates tasks. Off until a user enables it: each sub-agent costs model requests.
 *
 * @example
 * const functions = new FunctionTools([SUB_AGENT_TOOLS]);
 */
export const SUB_AGENT_TOOLS: FunctionToolGroup = {
  id: 'sub-agents',
  title: say`Sub-agents`.text,
  enabled: false,
  needsSubAgents: true,
  tools: [delegateTask],
};

function toTask({ title, timeoutSeconds, ...task }: FromJsonSchema<typeof TASK>): SubAgentTask {
  const [firstLine = ''] = task.task.trim().split('\n', 1);
  return {
    ...task,
    title: title ?? (Array.from(firstLine).slice(0, TITLE_LENGTH).join('') || 'Sub-agent'),
    ...defined({ maxWallTimeMs: timeoutSeconds === undefined ? undefined : timeoutSeconds * 1_000 }),
  };
}

function toResult(results: readonly SubAgentResult[]): ToolResult {
  const isFailed = results.every(({ status }) => status !== 'done');
  const [only, ...others] = results;
  const text =
    only && others.length === 0
      ? formatResult(only)
      : results.map((result, at) => `## ${at + 1}. ${result.title}\n\n${formatResult(result)}`).join('\n\n');
  const [error] = results.flatMap((result) => ('error' in result && result.error ? [result.error] : []));
  return {
    content: [{ type: 'text', text }],
    structured: { subAgents: results.map(({ text: _text, ...result }) => result) },
    isError: isFailed,
    outcome: 'done',
    ...(isFailed ? { error: error ?? { code: 'cancelled', message: text } } : {}),
  };
}

function formatResult(result: SubAgentResult): string {
  const text =
    result.text.length > MAX_ANSWER_LENGTH
      ? `${result.text.slice(0, MAX_ANSWER_LENGTH)}\n[shortened from ${result.text.length} characters]`
      : result.text;
  switch (result.status) {
    case 'done':
      return text === '' ? 'The sub-agent returned no text.' : text;
    case 'refused':
      return `The sub-agent was not started: ${result.error.message}`;
    case 'cancelled':
      return withPartial('The sub-agent was cancelled.', text);
    default:
      return withPartial(`The sub-agent failed: ${result.error?.message ?? 'the reason is unknown.'}`, text);
  }
}

function withPartial(reason: string, text: string): string {
  return text === '' ? reason : `${reason} Its answer until then:\n\n${text}`;
}
