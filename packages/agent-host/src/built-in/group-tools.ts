import type { GroupCallKind, GroupCallResult, MemberOutcome, ToolResult } from '@toolyard/protocol';
import { createErrorInfo, ToolyardError, say } from '@toolyard/protocol';
import type { DelegableTask } from '@toolyard/agent-runtime';
import { GROUP_SERVER } from '@toolyard/agent-runtime';
import type { GroupOfCall } from '../run-group.ts';
import type { SubAgentResult } from '../sub-agents.ts';
import type { FunctionToolGroup, ToolContext } from '../functions/tool.ts';
import { tool } from '../functions/tool.ts';
import { countVotes } from './count-votes.ts';

const MEMBER = { type: 'string', minLength: 1, description: 'Name or id of the member.' } as const;
const MEMBERS = {
  type: 'array',
  items: MEMBER,
  minItems: 1,
  description: 'Names or ids of members; default: all.',
} as const;
const INSTRUCTION = {
  type: 'string',
  maxLength: 100_000,
  description: 'What the member should do or think about; not needed if the conversation says it.',
} as const;
const PRIVATE = {
  type: 'boolean',
  description: 'Only this member, you and the user see the instruction and the answer; default false.',
} as const;
const TASK = { type: 'string', minLength: 1, maxLength: 100_000, description: 'The complete task.' } as const;

/** What members do is checked and approved in their own runs. */
const HARMLESS = { annotations: { readOnly: true, openWorld: false }, isolated: true } as const;

const speak = tool({
  name: 'speak',
  title: say`Ask a member`.text,
  description: 'Lets one member answer in the conversation.',
  inputSchema: {
    type: 'object',
    properties: { member: MEMBER, instruction: INSTRUCTION, private: PRIVATE },
    required: ['member'],
  },
  ...HARMLESS,
  execute: ({ member, instruction = '', private: isPrivate = false }, ctx) =>
    turns('speak', [{ member, instruction }], isPrivate, ctx),
});

const broadcast = tool({
  name: 'broadcast',
  title: say`Ask several members`.text,
  description: 'Lets several members answer at the same time; none of them sees the answers of the others yet.',
  inputSchema: {
    type: 'object',
    properties: { members: MEMBERS, instruction: INSTRUCTION, private: PRIVATE },
  },
  ...HARMLESS,
  execute: ({ members, instruction = '', private: isPrivate = false }, ctx) =>
    turns(
      'broadcast',
      listNames(members, ctx).map((member) => ({ member, instruction })),
      isPrivate,
      ctx,
    ),
});

const delegate = tool({
  name: 'delegate',
  title: say`Hand the conversation over`.text,
  description:
    'Hands the conversation to a member: it answers the user now and answers the next messages, until it hands the conversation back.',
  inputSchema: {
    type: 'object',
    properties: { member: MEMBER, instruction: INSTRUCTION },
    required: ['member'],
  },
  ...HARMLESS,
  execute: ({ member, instruction = '' }, ctx) => turns('delegate', [{ member, instruction }], false, ctx),
});

const executeTask = tool({
  name: 'execute_task',
  title: say`Give a task`.text,
  description:
    'Gives a task to one member, which carries it out in a conversation of its own and reports the result. It does not see this conversation: describe the task completely.',
  inputSchema: { type: 'object', properties: { member: MEMBER, task: TASK }, required: ['member', 'task'] },
  ...HARMLESS,
  execute: ({ member, task }, ctx) => turns('task', [{ member, instruction: task }], false, ctx),
});

const executeTasks = tool({
  name: 'execute_tasks',
  title: say`Give tasks`.text,
  description: 'Gives tasks to members, which work at the same time, as execute_task does. A member may get several.',
  inputSchema: {
    type: 'object',
    properties: {
      tasks: {
        type: 'array',
        minItems: 1,
        maxItems: 20,
        items: { type: 'object', properties: { member: MEMBER, task: TASK }, required: ['member', 'task'] },
      },
    },
    required: ['tasks'],
  },
  ...HARMLESS,
  execute: ({ tasks }, ctx) =>
    turns(
      'task',
      tasks.map(({ member, task }) => ({ member, instruction: task })),
      false,
      ctx,
    ),
});

const OPTION = { type: 'string', minLength: 1, maxLength: 500 } as const;

const vote = tool({
  name: 'vote',
  title: say`Let the members vote`.text,
  description:
    'The members choose one of the options. The majority decides; if the first options have equal votes, your tie breaker decides.',
  inputSchema: {
    type: 'object',
    properties: {
      question: { type: 'string', minLength: 1, maxLength: 20_000 },
      options: { type: 'array', items: OPTION, minItems: 2, maxItems: 20 },
      tie_breaker: { ...OPTION, description: 'The option that you choose if votes are equal.' },
      members: MEMBERS,
    },
    required: ['question', 'options', 'tie_breaker'],
  },
  ...HARMLESS,
  async execute({ question, options, tie_breaker: tieBreaker, members }, ctx) {
    if (new Set(options).size < options.length || !options.includes(tieBreaker)) {
      throw new ToolyardError({
        code: 'bad_request',
        message: say`The options of a vote must be different, and tie_breaker must be one of them.`,
      });
    }
    const instruction = `${question}\n\nOptions:\n${options.map((option) => `- ${option}`).join('\n')}`;
    const asked = listNames(members, ctx).map((member) => ({ member, instruction }));
    const { outcomes, results } = await askMembers('vote', asked, false, ctx);
    const counted = countVotes({ question, options, tieBreaker }, results);
    const counts = counted.options.map(({ option, votes }) => `${option}: ${votes}`).join('\n');
    const reasons = counted.ballots.map(({ agentId, option, reason }) => {
      const name = outcomes.find((each) => each.agentId === agentId)?.name ?? agentId;
      return `${name} voted for ${option ?? 'none of the options'}${reason === '' ? '' : `: ${reason}`}`;
    });
    const tied = counted.wasTied ? ' (equal votes: your tie breaker decided)' : '';
    const text = [counts, `Result: ${counted.winner}${tied}`, ...reasons, ...failures(outcomes)].join('\n');
    return createResult(text, { kind: 'vote', outcomes, ctx, vote: counted });
  },
});

const finish = tool({
  name: 'finish',
  title: say`Finish`.text,
  description:
    'Ends the work of the group on the message of the user: the matter is settled, or nothing more can be done.',
  inputSchema: { type: 'object', properties: { reason: { type: 'string', maxLength: 2_000 } } },
  ...HARMLESS,
  execute: ({ reason = '' }, ctx) =>
    createResult(reason === '' ? 'Finished.' : `Finished: ${reason}`, { kind: 'finish', outcomes: [], ctx }),
});

/** The name of the tool of a member that has the conversation. */
export const HAND_BACK = 'hand_back';

const handBack = tool({
  name: HAND_BACK,
  title: say`Hand the conversation back`.text,
  description: 'Gives the conversation back to the group: what you were asked to settle with the user is settled.',
  inputSchema: { type: 'object', properties: {} },
  ...HARMLESS,
  execute: () => 'The group has the conversation again. Close with a short answer to the user.',
});

/**
 * The decisions of the supervisor of a group. Only the runs of groups are offered them.
 *
 * @example
 * const functions = new FunctionTools([GROUP_TOOLS]);
 */
export const GROUP_TOOLS: FunctionToolGroup = {
  id: GROUP_SERVER,
  title: 'Group',
  enabled: false,
  needsGroup: true,
  tools: [speak, broadcast, delegate, executeTask, executeTasks, vote, finish, handBack],
};

type MemberInstruction = { member: string; instruction: string };

async function turns(
  kind: GroupCallKind,
  instructions: readonly MemberInstruction[],
  isPrivate: boolean,
  ctx: ToolContext,
): Promise<ToolResult> {
  const { outcomes } = await askMembers(kind, instructions, isPrivate, ctx);
  const answered = outcomes.flatMap(({ name, status }) =>
    status === 'done' ? [`${name} answered: see the message of ${name} that follows.`] : [],
  );
  return createResult([...answered, ...failures(outcomes)].join('\n'), { kind, outcomes, ctx, isPrivate });
}

/** Gives each member its turn. A member that is missing, fails or takes too long does not affect the others. */
async function askMembers(
  kind: GroupCallKind,
  instructions: readonly MemberInstruction[],
  isPrivate: boolean,
  { group, delegate: start }: ToolContext,
): Promise<{ outcomes: MemberOutcome[]; results: { agentId: string; result: SubAgentResult }[] }> {
  if (!group || !start)
    throw new ToolyardError({ code: 'tool_refused', message: say`This run is not that of a group.` });
  const found = instructions.map(({ member, instruction }) => ({
    name: member,
    instruction,
    member: find(group, member),
  }));
  const tasks = found.flatMap(({ instruction, member }): DelegableTask[] => {
    if (!member) return [];
    const { agentId, name } = member;
    const context = kind === 'task' ? 'none' : 'inherit';
    const turn = { agentId, name, kind, ...(isPrivate ? { private: true as const } : {}) };
    return [{ title: name, task: instruction, context, member: turn }];
  });
  const started = tasks.length === 0 ? [] : await start(tasks);
  const results = started.flatMap((result, at) => {
    const { member } = tasks[at] ?? {};
    return member ? [{ agentId: member.agentId, result }] : [];
  });
  const left = [...results];
  const outcomes = found.map(({ name, member }): MemberOutcome => {
    const next = member ? left.shift() : undefined;
    if (!member || !next) return { agentId: '', name, status: 'refused', error: noMember(name, group) };
    return toOutcome(member, next.result);
  });
  return { outcomes, results };
}

function toOutcome({ agentId, name }: GroupOfCall['members'][number], result: SubAgentResult): MemberOutcome {
  if (result.status === 'refused') return { agentId, name, status: 'refused', error: result.error };
  const { status, runId, conversationId } = result;
  const error = 'error' in result && result.error ? { error: result.error } : {};
  const known = status === 'done' || status === 'cancelled' ? status : 'failed';
  return { agentId, name, status: known, runId, conversationId, ...error };
}

function createResult(
  text: string,
  of: {
    kind: GroupCallResult['kind'];
    outcomes: MemberOutcome[];
    ctx: ToolContext;
    isPrivate?: boolean;
    vote?: GroupCallResult['vote'];
  },
): ToolResult {
  const { kind, outcomes, ctx, isPrivate = false, vote: counted } = of;
  const round = (ctx.group?.round ?? 0) + 1;
  const group: GroupCallResult = {
    kind,
    round,
    private: isPrivate,
    members: outcomes,
    ...(counted ? { vote: counted } : {}),
  };
  const isError = outcomes.length > 0 && outcomes.every(({ status }) => status !== 'done');
  return { content: [{ type: 'text', text }], structured: { group }, isError, outcome: 'done' };
}

function failures(outcomes: readonly MemberOutcome[]): string[] {
  return outcomes.flatMap(({ name, status, error }) => {
    if (status === 'done') return [];
    if (status === 'cancelled') return [`${name} was stopped.`];
    return [`${name} did not answer: ${error?.message ?? 'the reason is unknown.'}`];
  });
}

function listNames(members: readonly string[] | undefined, { group }: ToolContext): string[] {
  return members ? [...members] : (group?.members ?? []).map(({ agentId }) => agentId);
}

function find({ members }: GroupOfCall, wanted: string): GroupOfCall['members'][number] | undefined {
  const name = wanted.trim().replace(/^@/, '').toLowerCase();
  return members.find(({ agentId }) => agentId === wanted) ?? members.find((each) => each.name.toLowerCase() === name);
}

function noMember(name: string, group: GroupOfCall): NonNullable<MemberOutcome['error']> {
  const names = group.names.map((each) => JSON.stringify(each)).join(', ');
  return createErrorInfo({
    code: 'not_found',
    message: say`The group has no member ${JSON.stringify(name)}. Members: ${names}.`,
  });
}
