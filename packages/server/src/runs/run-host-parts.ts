import { createAgentExecutors } from '@toolyard/agent-host';
import type { Brain, Executors } from '@toolyard/agent-runtime';
import { createGate, GeneralChatAgent, isHarmless } from '@toolyard/agent-runtime';
import type { ModelRuntime } from '@toolyard/model-runtime';
import type { Clock, PermissionView, Principal, ToolReference } from '@toolyard/protocol';
import { formatToolReference, ToolyardError } from '@toolyard/protocol';
import type { Models, Servers, ToolSelection } from '../services.ts';
import type { DurableJournal } from './durable-journal.ts';
import type { RunConversation } from './run-conversation.ts';
import type { RunLedger } from './run-ledger.ts';
import type { RunStorage } from './run-storage.ts';
import type { RunConfiguration } from './stored-run.ts';

export type RunHostParts = {
  principal: Principal;
  configuration: RunConfiguration;
  conversation: RunConversation;
  journal: DurableJournal;
  ledger: RunLedger;
  clock: Clock;
  signal: AbortSignal;
};

export type RunHostServices = {
  models: Pick<Models, 'open'>;
  servers: Pick<Servers, 'select'>;
  storage: Pick<RunStorage, 'permissions'>;
};

/**
 * Joins a run to its model, its tools and what its owner decided about them, as they are now: a key or a server that
 * was changed while the run rested counts from here on.
 *
 * @throws ToolyardError where the model's provider is gone.
 */
export async function openRunHost(
  parts: RunHostParts,
  services: RunHostServices,
): Promise<{ brain: Brain; executors: Executors }> {
  const { principal, configuration, conversation, signal } = parts;
  const [model, tools, decided] = await Promise.all([
    services.models.open(principal, configuration.model),
    services.servers.select(configuration, signal),
    services.storage.permissions.list(principal, { conversationId: conversation.id }),
  ]);
  const permissions = permissionsOf(decided);
  const gate = createGate({
    mode: configuration.intervention,
    permission: (tool) => permissions.get(formatToolReference(tool)),
    lookUp: (tool) => tools.judged(tool),
  });
  return { brain: new GeneralChatAgent({ gate }), executors: executorsOf(parts, model, tools) };
}

/** What a run needs that only comes to its end: it asks no model and calls no tool. */
export function openEndingHost(parts: RunHostParts): { brain: Brain; executors: Executors } {
  const gate = createGate({ mode: 'headless', permission: () => undefined, lookUp: () => undefined });
  return { brain: new GeneralChatAgent({ gate }), executors: executorsOf(parts, NO_MODEL, NO_TOOLS) };
}

function executorsOf(parts: RunHostParts, model: ModelRuntime, tools: ToolSelection): Executors {
  const { configuration, conversation, journal, ledger, clock, signal } = parts;
  return createAgentExecutors({
    model,
    modelId: configuration.model.modelId,
    parameters: configuration.parameters,
    toolMode: configuration.toolMode,
    tools,
    conversation,
    journal,
    ledger,
    clock,
    signal,
    contextSources: () => tools.contextSources(),
    asking: configuration.intervention === 'manual' ? { who: 'park' } : { who: 'nobody' },
    // A decision that lasts is stored where it is given: at the door.
    remember() {},
    repeatable: (tool) => isHarmless(tools.judged(tool)),
  });
}

/** Of two decisions about one tool a "never" wins, wherever it was given. */
function permissionsOf(decided: readonly PermissionView[]): Map<string, PermissionView['decision']> {
  const permissions = new Map<string, PermissionView['decision']>();
  for (const { tool, decision } of decided) {
    const reference = formatToolReference(tool);
    if (permissions.get(reference) !== 'never') permissions.set(reference, decision);
  }
  return permissions;
}

const NO_MODEL: ModelRuntime = {
  provider: 'none',
  async *chat() {
    throw noMore();
  },
  async models() {
    throw noMore();
  },
};

const NO_TOOLS: ToolSelection = {
  tools: () => [],
  resolve: () => undefined,
  async callTool(_tool: ToolReference) {
    throw noMore();
  },
  contextSources: () => ({ serverInstructions: [] }),
  judged: () => undefined,
};

function noMore(): ToolyardError {
  return new ToolyardError({ code: 'internal', message: 'A run that ends asks nothing more.' });
}
