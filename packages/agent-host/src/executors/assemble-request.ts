import type {
  AssistantMessage,
  AssistantPart,
  ContextFill,
  Message,
  ModelParameters,
  ModelRequestRecord,
  RequestPrelude,
  SentRequest,
  SystemMessage,
  ToolDefinition,
  ToolMode,
} from '@toolyard/protocol';
import { defined } from '@toolyard/protocol';
import type { ContextSources, RunToolChoice } from '@toolyard/agent-runtime';
import { buildContext, measureContext, placeholdersAt, usesPlaceholders } from '@toolyard/agent-runtime';
import type { ChatRequest } from '@toolyard/model-runtime';

/** All inputs of a request. */
export type RequestInputs = {
  model: string;
  /** The stored branch, with the agent's instructions first. */
  conversation: readonly Message[];
  sources: ContextSources;
  tools: readonly ToolDefinition[];
  toolChoice: RunToolChoice;
  toolMode: ToolMode;
  parameters: ModelParameters;
  at: number;
  timeZone: string;
  /** The beginning of the answer that the model continues. */
  continues?: readonly AssistantPart[];
};

/** The request to the model, and how much of its context window it fills. Equal inputs give equal requests. */
export function assembleRequest(requestInputs: RequestInputs): { request: ChatRequest; fill: ContextFill } {
  const { model, conversation, tools, toolChoice, toolMode, parameters, at, timeZone, continues } = requestInputs;
  const placeholders = usesPlaceholders(conversation, requestInputs.sources)
    ? placeholdersAt(at, { model, timeZone })
    : null;
  const sources = placeholders ? { ...requestInputs.sources, placeholders } : requestInputs.sources;
  const messages = buildContext(conversation, sources);
  const fill = measureContext({ conversation, sent: messages, tools, window: sources.window });
  const request: ChatRequest = { model, messages, tools, toolChoice, toolMode, parameters };
  if (!continues) return { request, fill };
  const begun = beginning(model, messages, continues);
  return { request: { ...request, messages: [...messages, begun], continues: true }, fill };
}

/** The record of a request: enough to assemble it again from the stored conversation. */
export function toRecord(
  requestInputs: RequestInputs,
  fill: ContextFill,
  prelude: string | undefined,
): ModelRequestRecord {
  const { model, conversation, sources, toolChoice, toolMode, parameters, at, timeZone, continues } = requestInputs;
  return {
    model,
    leafId: conversation.at(-1)?.id ?? null,
    toolChoice,
    toolMode,
    parameters,
    at,
    timeZone,
    fill,
    ...(sources.inputs ? { inputs: [...sources.inputs] } : {}),
    ...defined({ prelude }),
    ...(continues ? { continues: [...continues] } : {}),
  };
}

/**
 * Assembles a past request again from its record. `branch` are the stored messages up to the `leafId` of the record.
 *
 * @example
 * const { messages, tools } = rebuildRequest({ record, branch, prelude: null });
 */
export function rebuildRequest(of: {
  record: ModelRequestRecord;
  branch: readonly Message[];
  prelude: RequestPrelude | null;
}): SentRequest {
  const { record, branch, prelude } = of;
  const { model, toolChoice, toolMode, parameters, at, timeZone, fill, inputs, continues } = record;
  const sources: ContextSources = {
    ...sourcesIn(prelude),
    ...(fill.assumed ? {} : { window: fill.window }),
    ...defined({ inputs }),
  };
  const tools = prelude?.tools ?? [];
  const conversation = prelude?.instructions ? [systemMessage(prelude.instructions), ...branch] : branch;
  const requestInputs = { model, conversation, sources, tools, toolChoice, toolMode, parameters, at, timeZone };
  const { request } = assembleRequest({ ...requestInputs, ...defined({ continues }) });
  return {
    model,
    toolChoice,
    toolMode,
    parameters,
    at,
    fill,
    messages: [...request.messages],
    tools: prelude?.tools ?? null,
    continues: continues !== undefined,
  };
}

function sourcesIn(prelude: RequestPrelude | null): ContextSources {
  if (!prelude) return { serverInstructions: [] };
  const { serverInstructions, skills, historyMessages, inputTemplate, examples } = prelude;
  return {
    serverInstructions,
    ...defined({ skills, historyMessages, inputTemplate, examples }),
  };
}

function systemMessage(text: string): SystemMessage {
  return { id: 'instructions', parentId: null, createdAt: 0, role: 'system', parts: [{ type: 'text', text }] };
}

function beginning(model: string, messages: readonly Message[], parts: readonly AssistantPart[]): AssistantMessage {
  const parentId = messages.at(-1)?.id ?? null;
  return {
    id: 'continued',
    parentId,
    createdAt: 0,
    role: 'assistant',
    runId: '',
    model,
    finishReason: 'length',
    parts: [...parts],
  };
}
