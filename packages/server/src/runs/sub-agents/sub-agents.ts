import type { MemberAnswer, StartSubAgents, SubAgentResult, SubAgents } from '@toolyard/agent-host';
import { GROUP_TOOLS, HAND_BACK } from '@toolyard/agent-host';
import type { DelegableTask, DelegatedTask, MemberTask } from '@toolyard/agent-runtime';
import { cutAtWord } from '@toolyard/agent-runtime';
import type { Message, ModelReference, Owner, RunRecord, SubAgentTask, UserMessage } from '@toolyard/protocol';
import { isStorageFault, textOf, toErrorInfo, ToolyardError, say, createErrorInfo } from '@toolyard/protocol';
import type { SharedStorage, StoredAgent } from '@toolyard/storage';
import { createConflictError, createInvalidError, createNotFoundError } from '../../errors.ts';
import { readStoredConfiguration } from '../../config/agent-configuration.ts';
import { memberConfiguration, memberMessage } from '../../groups/member-configuration.ts';
import { openGroup } from '../../groups/open-group.ts';
import { readEnd } from '../read/read-end.ts';
import type { StartRunServices } from '../start/start-run.ts';
import { newRun, priced } from '../start/start-run.ts';
import type { RunConfiguration } from '../worker/stored-run.ts';
import type { ParentRun } from './sub-agent-configuration.ts';
import { childConfiguration, childOverrides } from './sub-agent-configuration.ts';

export type SubAgentServices = Omit<StartRunServices, 'storage' | 'failpoint' | 'pool'> & {
  storage: Pick<SharedStorage, 'runs' | 'agents' | 'groups' | 'conversations' | 'messages'>;
  pool: Pick<StartRunServices['pool'], 'run' | 'wake'>;
  failpoint?: StartRunServices['failpoint'];
};

const TITLE_LENGTH = 80;

/** Starts and reads the child runs of a run. */
export function createSubAgents(
  { run, configuration }: { run: RunRecord; configuration: RunConfiguration },
  services: SubAgentServices,
): SubAgents {
  const { storage } = services;
  const principal: Owner = { ownerId: run.ownerId };
  return {
    async start(tasks, of) {
      const { startedAt } = of.state;
      const { id: runId, conversationId, agentId } = run;
      const raised = of.state.raised;
      const { tools, leafId } = of;
      const parent: ParentRun = { configuration, runId, conversationId, agentId, startedAt, raised, tools, leafId };
      const started: DelegatedTask[] = [];
      for (const [index, task] of tasks.entries()) {
        const id = `${of.callId}.task.${of.before + index}`;
        started.push(await startOne(principal, { id, task, of, parent }, services));
      }
      return started;
    },
    results: (children) => Promise.all(children.map((child) => readResult(principal, child, storage.runs))),
    answers: (runIds) => Promise.all(runIds.map((runId) => findAnswer(principal, runId, storage))),
  };
}

type OneTask = { id: string; task: DelegableTask; of: StartSubAgents; parent: ParentRun };

type ChildRun = { configuration: RunConfiguration; agentId: string | null; text: string };
type ChildOf = { of: StartSubAgents; parent: ParentRun };

/** A sub-agent that works on a task. */
async function taskRun(
  principal: Owner,
  task: SubAgentTask,
  { of, parent }: ChildOf,
  services: SubAgentServices,
): Promise<ChildRun> {
  const { storage, clock } = services;
  const agent = task.agent === undefined ? null : await findAgent(principal, task.agent, { storage, parent });
  const own = agent && (await resolved(principal, agent, services));
  const wanted = childConfiguration(task, { parent, own, agentId: agent?.id ?? null, now: clock.now() });
  const model = task.model === undefined ? wanted.model : readModel(task.model);
  return {
    configuration: { ...wanted, model },
    agentId: agent?.id ?? parent.agentId,
    text: taskText(task, of.summary),
  };
}

/** The turn of a member of a group. */
async function memberRun(
  principal: Owner,
  { task }: SubAgentTask,
  member: MemberTask,
  { of, parent }: ChildOf,
  { storage, configurations }: SubAgentServices,
): Promise<ChildRun> {
  const { group: atStart } = parent.configuration;
  if (!atStart) throw createInvalidError(say`This run is not that of a group.`);
  const group = await openGroup(principal, atStart, storage);
  const stored = await storage.conversations.get(principal, parent.conversationId);
  const conversation = readStoredConfiguration(stored?.configuration);
  const leafId = of.callMessageId;
  return {
    configuration: await memberConfiguration(principal, member, {
      parent,
      group,
      configurations,
      conversation,
      leafId,
    }),
    agentId: member.agentId,
    text: memberMessage(task, member, group),
  };
}

/** A task that cannot be started is answered with its error; storage errors are thrown. */
async function startOne(
  principal: Owner,
  { id, task, of, parent }: OneTask,
  services: SubAgentServices,
): Promise<DelegatedTask> {
  const title = task.title ?? cutAtWord(task.task.trim(), TITLE_LENGTH);
  const { storage, pool, hub, clock, failpoint } = services;
  try {
    const { agentId, text, ...child } = await (task.member
      ? memberRun(principal, task, task.member, { of, parent }, services)
      : taskRun(principal, task, { of, parent }, services));
    const configuration = await priced(principal, child.configuration, services);
    const userMessage: UserMessage = {
      id: `${id}.question`,
      parentId: null,
      createdAt: clock.now(),
      role: 'user',
      parts: [{ type: 'text', text }],
    };
    const request = {
      runId: id,
      conversation: { id, title, agentId },
      userMessage,
      begins: { with: 'message' as const },
    };
    const { conversationId, runId } = parent;
    const created = await storage.runs.createRun(principal, {
      ...newRun(request, configuration, services),
      parentRunId: runId,
      newConversation: {
        title,
        configuration: childOverrides(configuration),
        parent: { conversationId, runId, callId: of.callId },
        ...(agentId === null ? {} : { agentId }),
      },
    });
    switch (created.outcome) {
      case 'created':
        if (failpoint) await failpoint('run:created');
        if (services.terms) pool.run(created.run);
        else await pool.wake(id);
        hub.changed(principal.ownerId, 'conversations', id);
        return { title, runId: id, conversationId: id };
      case 'exists':
        return { title, runId: id, conversationId: created.run.conversationId };
      case 'not_found':
      case 'conversation_busy':
        throw createConflictError(say`The run that delegated the task has ended.`);
      case 'invalid':
        throw createInvalidError(say`The task was not stored: ${created.problem}.`);
    }
  } catch (thrown) {
    if (isStorageFault(thrown)) throw thrown;
    return { title, error: toErrorInfo(thrown) };
  }
}

function taskText({ task, context }: SubAgentTask, summary: string | null): string {
  if (context !== 'summary' || summary === null) return task;
  const data = summary.replace(/<(?=\/?conversation-summary)/gi, '&lt;');
  return `<conversation-summary>\n${data}\n</conversation-summary>\nThe summary above is of the conversation in which this task arose.\n\n${task}`;
}

/** By id, or by title if it is unique. */
async function findAgent(
  principal: Owner,
  name: string,
  { storage, parent }: { storage: SubAgentServices['storage']; parent: ParentRun },
): Promise<StoredAgent> {
  const agents = await storage.agents.list(principal);
  const [agent, ...others] = agents.some(({ id }) => id === name)
    ? agents.filter(({ id }) => id === name)
    : agents.filter(({ title }) => title.toLowerCase() === name.toLowerCase());
  if (agent === undefined) {
    const titles = agents.slice(0, 50).map(({ title }) => JSON.stringify(title));
    throw createNotFoundError(
      titles.length === 0
        ? say`There is no agent ${JSON.stringify(name)}. No agents are configured.`
        : say`There is no agent ${JSON.stringify(name)}. Agents: ${titles.join(', ')}.`,
    );
  }
  if (others.length > 0) {
    throw createInvalidError(
      say`Several agents are titled ${JSON.stringify(name)}. Use an id: ${[agent, ...others].map(({ id }) => id).join(', ')}.`,
    );
  }
  const { starter } = parent.configuration;
  if (starter?.limits?.agents && !starter.limits.agents.includes(agent.id)) {
    throw new ToolyardError({
      code: 'forbidden',
      message: say`The agent ${JSON.stringify(agent.title)} is not among those of the API key ${JSON.stringify(starter.name)}, which started this run.`,
    });
  }
  const above = parent.configuration.subAgent?.agents ?? (parent.agentId === null ? [] : [parent.agentId]);
  if (above.includes(agent.id)) {
    const getTitle = (id: string): string => agents.find((each) => each.id === id)?.title ?? id;
    const cycle = [...above.slice(above.indexOf(agent.id)), agent.id].map(getTitle);
    throw createInvalidError(
      say`The agents would delegate to each other in a cycle: ${cycle.join(' → ')}. Do the task yourself, or leave the agent out.`,
    );
  }
  return agent;
}

async function resolved(
  principal: Owner,
  { id, title }: StoredAgent,
  { configurations }: SubAgentServices,
): Promise<RunConfiguration> {
  const { model, ...rest } = await configurations.resolve(principal, { agentId: id });
  if (model) return { ...rest, model };
  throw createInvalidError(say`The agent ${JSON.stringify(title)} has no model.`);
}

function readModel(text: string): ModelReference {
  const slash = text.indexOf('/');
  if (slash > 0 && slash < text.length - 1) {
    return { providerId: text.slice(0, slash), modelId: text.slice(slash + 1) };
  }
  throw createInvalidError(say`The model of a sub-agent must be "provider/model" (got ${JSON.stringify(text)}).`);
}

async function findAnswer(
  principal: Owner,
  runId: string,
  { runs, messages }: Pick<SubAgentServices['storage'], 'runs' | 'messages'>,
): Promise<MemberAnswer | null> {
  const end = await readEnd(runs, principal, runId);
  if (!end?.answer) return null;
  // The conversation of a child run has its id.
  const own = await messages.branch(principal, runId);
  return { message: end.answer, handedBack: own.some(isHandBack) };
}

function isHandBack(message: Message): boolean {
  return message.role === 'tool' && message.tool?.serverId === GROUP_TOOLS.id && message.tool.name === HAND_BACK;
}

async function readResult(
  principal: Owner,
  child: DelegatedTask,
  runs: SubAgentServices['storage']['runs'],
): Promise<SubAgentResult> {
  const { title } = child;
  if ('error' in child) return { title, text: '', status: 'refused', error: child.error };
  const { runId, conversationId } = child;
  const end = await readEnd(runs, principal, runId);
  if (end === null) {
    const error = createErrorInfo({ code: 'not_found', message: say`Its run was deleted.` });
    return { title, text: '', status: 'refused', error };
  }
  const text = end.answer ? textOf(end.answer).trim() : '';
  if (end.status === 'done') return { title, text, status: 'done', runId, conversationId };
  return { title, text, status: end.status, runId, conversationId, ...(end.error ? { error: end.error } : {}) };
}
