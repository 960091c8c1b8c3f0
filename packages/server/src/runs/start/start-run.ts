import type { StoredRun } from '@toolyard/agent-host/durable';
import { cutAtWord, initialGroupState, initialState } from '@toolyard/agent-runtime';
import { messageIdOf } from '@toolyard/agent-host';
import type {
  AgentConfiguration,
  AssistantPart,
  Clock,
  Failpoint,
  LeasedRun,
  LeaseTerms,
  NewRun,
  NewRunWebhook,
  Owner,
  RunOrigin,
  RunRecord,
  SubAgentTask,
  UserMessage,
} from '@toolyard/protocol';
import { defined, textOf, ToolyardError, say } from '@toolyard/protocol';
import type { StoredConversation, SharedStorage } from '@toolyard/storage';
import { createInvalidError, createNotFoundError } from '../../errors.ts';
import { getLayers } from '../../config/configuration-layers.ts';
import { groupConfiguration } from '../../groups/group-configuration.ts';
import type { ConversationTitles } from '../../models/conversation-titles.ts';
import type { Configurations, LiveHub, Models } from '../../services.ts';
import type { RunWorkerPool } from '../worker/run-worker-pool.ts';
import type { CallOfAnswer } from './begin-with-call.ts';
import { beginningWithCall } from './begin-with-call.ts';
import { limitedBy } from './key-limits.ts';
import type { RunConfiguration, RunStarter } from '../worker/stored-run.ts';
import { placeholder } from '../worker/stored-run.ts';
import { createDelegation, withSubAgents } from './begin-with-delegation.ts';

export type StartRunServices = {
  storage: Pick<SharedStorage, 'runs' | 'groups' | 'agents'>;
  configurations: Configurations;
  models: Pick<Models, 'price'>;
  pool: RunWorkerPool;
  hub: LiveHub;
  /** Absent: another process executes it. */
  terms?: LeaseTerms;
  clock: Clock;
  titles?: Pick<ConversationTitles, 'beforeRun'> | undefined;
  /** Aborted when this process stops: no run is started any more. */
  stopping: AbortSignal;
  failpoint?: Failpoint;
};

export type StartRequest = {
  runId: string;
  conversation: StoredConversation;
  userMessage: UserMessage;
  begins: RunBeginning;
  /** Applies to this run only. */
  configuration?: AgentConfiguration;
  /** Tasks that the run delegates before its model is asked. */
  delegate?: readonly SubAgentTask[];
  /** A call of an answer that the run begins with. */
  makes?: CallOfAnswer;
  /** The agent that answers, instead of the conversation's. */
  agentId?: string;
  /** The API key or incoming webhook that starts it. */
  starter?: RunStarter;
  /** Notified of this run only. */
  webhook?: NewRunWebhook;
  /** The tab that executes it, instead of a process. */
  heldBy?: LeaseTerms;
  /** What starts it; default: the user. */
  origin?: RunOrigin;
};

/**
 * - `message`: the user message is stored with the run, and removed from the queue if it was queued
 * - `answer`: the user message is stored already; what the run writes follows the message `leafId`, or continues an
 *   answer there that has these parts
 */
type RunBeginning =
  | { with: 'message'; queuedMessageId?: string }
  | { with: 'answer'; leafId: string; parts?: AssistantPart[] };

/** True if the model that answers next in a conversation can continue a partial answer. */
export type CanContinue = (
  principal: Owner,
  conversation: StoredConversation,
  run?: Pick<StartRequest, 'agentId' | 'configuration'>,
) => Promise<boolean>;

/** Starts a run; see {@link startRun}. */
export type StartRun = (principal: Owner, request: StartRequest) => Promise<StartOutcome>;

/** `busy`: another run is in progress in this conversation, and nothing was stored. */
export type StartOutcome = { started: true; run: RunRecord } | { started: false; busyWith: string };

const TITLE_CHARACTERS = 60;

/**
 * Stores user message, placeholder for the answer, and run in one transaction, and starts the run. If a run with this id
 * exists, returns it.
 *
 * @throws ToolyardError
 */
export async function startRun(
  principal: Owner,
  request: StartRequest,
  services: StartRunServices,
): Promise<StartOutcome> {
  const { storage, pool, hub, titles, stopping, failpoint } = services;
  const { conversation, begins } = request;
  if (stopping.aborted) throw createStoppingError();
  titles?.beforeRun(conversation.id);
  const resolved = await resolve(principal, request, services);
  if ('busyWith' in resolved) return { started: false, ...resolved };
  const whole = limitedBy(request.delegate ? withSubAgents(resolved) : resolved, request.starter);
  const configuration = await priced(principal, whole, services);
  const created = await storage.runs.createRun(principal, newRun(request, configuration, services));
  switch (created.outcome) {
    case 'created': {
      if (failpoint) await failpoint('run:created');
      if (services.terms && !request.heldBy) pool.run(created.run);
      else if (!request.heldBy) await pool.wake(created.run.id);
      hub.changed(principal.ownerId, 'conversations', conversation.id);
      if (begins.with === 'message' && begins.queuedMessageId !== undefined) {
        hub.changed(principal.ownerId, 'queue', conversation.id);
      }
      return { started: true, run: toRecord(created.run) };
    }
    case 'exists':
      if (created.run.conversationId !== conversation.id) {
        throw createInvalidError(say`The id ${request.runId} is already used.`);
      }
      return { started: true, run: created.run };
    case 'conversation_busy':
      return { started: false, busyWith: created.runId };
    case 'not_found':
      throw createNoConversationError(conversation.id);
    case 'invalid':
      throw createInvalidError(say`The message was not stored: ${created.problem}.`);
  }
}

function createStoppingError(): ToolyardError {
  return new ToolyardError({
    code: 'conflict',
    message: say`Toolyard is shutting down and accepts no new runs.`,
    hint: say`Send the message again after the restart.`,
    retryable: true,
  });
}

export function createNoConversationError(id: string): ToolyardError {
  return createNotFoundError(say`There is no conversation ${JSON.stringify(id)}.`);
}

type NewRunRequest = Omit<StartRequest, 'conversation'> & {
  conversation: Pick<StoredConversation, 'id' | 'title' | 'agentId'> & Partial<Pick<StoredConversation, 'titledBy'>>;
};

/** The run with its message and the placeholder of its answer. */
export function newRun(
  {
    runId,
    conversation,
    userMessage,
    begins,
    delegate,
    makes,
    heldBy,
    webhook,
    origin,
    agentId = conversation.agentId ?? undefined,
  }: NewRunRequest,
  configuration: RunConfiguration,
  { clock, terms }: Pick<StartRunServices, 'clock' | 'terms'>,
): NewRun {
  const at = clock.now();
  const leafId = begins.with === 'answer' ? begins.leafId : userMessage.id;
  const parts = begins.with === 'answer' ? begins.parts : undefined;
  const state = initialState({
    runId,
    conversationId: conversation.id,
    startedAt: at,
    limits: configuration.limits,
    ...(configuration.group ? { group: initialGroupState(agentId) } : {}),
  });
  const answer = placeholder({
    id: messageIdOf(state, 1),
    parentId: leafId,
    runId,
    model: configuration.model.modelId,
    ...defined({ agent: configuration.agent }),
    createdAt: at,
  });
  const { modelId: model } = configuration.model;
  const called = delegate
    ? createDelegation(delegate, { state, userMessage, model })
    : makes && beginningWithCall(makes, { state, at, model });
  const stored: StoredRun = called
    ? { point: called.point, leafId: called.message.id, shownId: called.message.id }
    : {
        point: { state, context: { phase: 'user_input', ...(parts ? { continues: { parts } } : {}) } },
        leafId,
        shownId: answer.id,
      };
  const shown = called?.message ?? answer;
  const lease = heldBy ?? terms;
  const title = isToTitle(conversation, userMessage, begins) ? titleFrom(userMessage) : '';
  return {
    id: runId,
    conversationId: conversation.id,
    place: heldBy ? 'browser' : 'server',
    at,
    configuration,
    state: stored,
    messages: begins.with === 'answer' ? [shown] : [userMessage, shown],
    leaf: shown.id,
    ...defined({ lease, origin, startedBy: configuration.starter?.startedBy, webhook }),
    ...(title === '' ? {} : { title }),
    ...defined({ agentId: configuration.group ? configuration.agent?.id : agentId }),
    ...(begins.with === 'message' ? defined({ queuedMessageId: begins.queuedMessageId }) : {}),
  };
}

/** `busyWith`: the agent was deleted, but the run in progress continues with it and may take the message. */
async function resolve(
  principal: Owner,
  { conversation, configuration: run, agentId, delegate }: StartRequest,
  services: StartRunServices,
): Promise<RunConfiguration | { busyWith: string }> {
  const { configurations } = services;
  const { groupId } = conversation;
  if (groupId !== null) {
    if (delegate) throw new ToolyardError(GROUPS_DECIDE);
    return groupConfiguration(principal, { groupId, conversation, run, mention: agentId }, services);
  }
  const layers = getLayers(conversation, { run, agentId });
  const resolved = await configurations.resolve(principal, layers);
  const { model } = resolved;
  if (layers.agentId !== null && resolved.agent === undefined) {
    if (conversation.activeRun !== null && agentId === undefined) return { busyWith: conversation.activeRun.id };
    throw createNoAgentError(layers.agentId, layers.answersOnce);
  }
  if (model) return { ...resolved, model };
  throw createInvalidError(
    say`This conversation has no model, and there is no default.`,
    say`Choose a model, or add a provider in the settings.`,
  );
}

const GROUPS_DECIDE = {
  code: 'bad_request',
  message: say`In the conversation of a group, tasks are given by the group.`,
} as const;

function createNoAgentError(agentId: string, answersOnce = false): ToolyardError {
  return createNotFoundError(
    say`There is no agent ${agentId}.`,
    answersOnce ? say`Mention another agent, or none.` : say`Choose another agent for this conversation, or no agent.`,
  );
}

/** The price is fixed when the run starts, so that its cost is one sum. */
export async function priced(
  principal: Owner,
  configuration: RunConfiguration,
  { models }: Pick<StartRunServices, 'models'>,
): Promise<RunConfiguration> {
  const price = await models.price(principal, configuration.model);
  return price === undefined ? configuration : { ...configuration, limits: { ...configuration.limits, price } };
}

/** A title that the user did not choose follows the first message: also if that is edited. */
function isToTitle(
  { title, titledBy }: NewRunRequest['conversation'],
  { parentId }: UserMessage,
  begins: RunBeginning,
): boolean {
  if (title === '') return true;
  return begins.with === 'message' && parentId === null && (titledBy === 'message' || titledBy === 'task');
}

/** The beginning of a message. */
function titleFrom(userMessage: UserMessage): string {
  const [firstLine = ''] = textOf(userMessage)
    .trim()
    .split(/[\r\n]/, 1);
  return cutAtWord(firstLine.trim(), TITLE_CHARACTERS);
}

function toRecord(run: LeasedRun): RunRecord {
  const { fence: _fence, state: _state, configuration: _configuration, ...record } = run;
  return record;
}
