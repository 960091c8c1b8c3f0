import type { StoredRun } from '@toolyard/agent-host/durable';
import { initialState } from '@toolyard/agent-runtime';
import { messageIdOf } from '@toolyard/agent-host';
import type {
  AgentConfiguration,
  AssistantPart,
  Clock,
  Failpoint,
  LeasedRun,
  LeaseTerms,
  NewRun,
  Owner,
  RunRecord,
  UserMessage,
} from '@toolyard/protocol';
import { defined, textOf, ToolyardError } from '@toolyard/protocol';
import type { Conversation, SharedStorage } from '@toolyard/storage';
import { readStoredConfiguration } from '../config/agent-configuration.ts';
import type { Configurations, LiveHub, Models } from '../services.ts';
import type { RunCrew } from './run-crew.ts';
import type { RunConfiguration } from './stored-run.ts';
import { placeholder } from './stored-run.ts';

export type StartRunServices = {
  storage: Pick<SharedStorage, 'runs'>;
  configurations: Configurations;
  models: Pick<Models, 'price'>;
  crew: RunCrew;
  hub: LiveHub;
  /** Absent: another process takes it up. */
  terms?: LeaseTerms;
  clock: Clock;
  failpoint?: Failpoint;
};

export type StartRequest = {
  runId: string;
  conversation: Conversation;
  question: UserMessage;
  /** True where the question is stored already and is answered anew. */
  again: boolean;
  /** The last message of the answer so far, where the run goes on with one. */
  goesOnFrom?: string;
  /** Where an answer goes on that broke off: behind this message, and with these parts if in the answer itself. */
  continues?: { leafId: string; parts?: AssistantPart[] };
  /** The question leaves the queue with this run. */
  queuedMessageId?: string;
  /** Counts for this run only. */
  configuration?: AgentConfiguration;
  /** A tab that carries it out; this process leaves it alone. */
  heldBy?: LeaseTerms;
};

/** `busy`: another run is under way in this conversation, and nothing was stored. */
export type StartOutcome = { started: true; run: RunRecord } | { started: false; busyWith: string };

const TITLE_CHARACTERS = 60;

/**
 * Stores question, place for the answer and run in one transaction, and sets the run going. A run of that id that is
 * there already is given back.
 *
 * @throws ToolyardError
 */
export async function startRun(
  principal: Owner,
  request: StartRequest,
  services: StartRunServices,
): Promise<StartOutcome> {
  const { storage, crew, hub, failpoint } = services;
  const { conversation } = request;
  const configuration = await priced(principal, await resolve(principal, request, services.configurations), services);
  const created = await storage.runs.createRun(principal, newRun(request, configuration, services));
  switch (created.outcome) {
    case 'created': {
      if (failpoint) await failpoint('run:created');
      if (services.terms && !request.heldBy) crew.start(created.run);
      else if (!request.heldBy) await crew.wake(created.run.id);
      hub.changed(principal.ownerId, 'conversations', conversation.id);
      if (request.queuedMessageId !== undefined) hub.changed(principal.ownerId, 'queue', conversation.id);
      return { started: true, run: recordOf(created.run) };
    }
    case 'exists':
      if (created.run.conversationId !== conversation.id) {
        throw new ToolyardError({ code: 'bad_request', message: `The id ${request.runId} is taken.` });
      }
      return { started: true, run: created.run };
    case 'conversation_busy':
      return { started: false, busyWith: created.runId };
    case 'not_found':
      throw noConversation(conversation.id);
    case 'invalid':
      throw new ToolyardError({ code: 'bad_request', message: `The message was not stored: ${created.problem}.` });
  }
}

export function noConversation(id: string): ToolyardError {
  return new ToolyardError({ code: 'not_found', message: `There is no conversation ${JSON.stringify(id)}.` });
}

function newRun(
  { runId, conversation, question, again, goesOnFrom = question.id, continues, queuedMessageId, heldBy }: StartRequest,
  configuration: RunConfiguration,
  { clock, terms }: StartRunServices,
): NewRun {
  const at = clock.now();
  const state = initialState({
    runId,
    conversationId: conversation.id,
    startedAt: at,
    limits: configuration.limits,
  });
  const answer = placeholder({
    id: messageIdOf(state, 1),
    parentId: continues?.leafId ?? goesOnFrom,
    runId,
    model: configuration.model.modelId,
    createdAt: at,
  });
  const stored: StoredRun = {
    point: {
      state,
      context: { phase: 'user_input', ...(continues?.parts ? { continues: { parts: continues.parts } } : {}) },
    },
    leafId: continues?.leafId ?? goesOnFrom,
    shownId: answer.id,
  };
  const lease = heldBy ?? terms;
  const title = conversation.title === '' ? titleFrom(question) : '';
  return {
    id: runId,
    conversationId: conversation.id,
    place: heldBy ? 'browser' : 'server',
    at,
    configuration,
    state: stored,
    messages: again ? [answer] : [question, answer],
    leaf: answer.id,
    ...defined({ lease }),
    ...(title === '' ? {} : { title }),
    ...(conversation.agentId === null ? {} : { agentId: conversation.agentId }),
    ...defined({ queuedMessageId }),
  };
}

async function resolve(
  principal: Owner,
  { conversation, configuration: run }: StartRequest,
  configurations: Configurations,
): Promise<RunConfiguration> {
  const resolved = await configurations.resolve(principal, {
    agentId: conversation.agentId,
    conversation: readStoredConfiguration(conversation.configuration),
    ...defined({ run }),
  });
  const { model } = resolved;
  if (model) return { ...resolved, model };
  throw new ToolyardError({
    code: 'bad_request',
    message: 'No model is chosen for this conversation, and there is none to fall back on.',
    hint: 'Choose a model, or set one up in the settings.',
  });
}

/** What the model costs is fixed when the run begins, so that its cost is one sum. */
async function priced(
  principal: Owner,
  configuration: RunConfiguration,
  { models }: StartRunServices,
): Promise<RunConfiguration> {
  const price = await models.price(principal, configuration.model);
  return price === undefined ? configuration : { ...configuration, limits: { ...configuration.limits, price } };
}

/** A conversation without a title is called what is asked in it first. */
function titleFrom(question: UserMessage): string {
  const [firstLine = ''] = textOf(question)
    .trim()
    .split(/[\r\n]/, 1);
  return Array.from(firstLine).slice(0, TITLE_CHARACTERS).join('').trim();
}

function recordOf(run: LeasedRun): RunRecord {
  const { fence: _fence, state: _state, configuration: _configuration, ...record } = run;
  return record;
}
