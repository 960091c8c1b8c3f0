import { createHash } from 'node:crypto';
import type { DurableAccess, RunConversation } from '@toolyard/agent-host/durable';
import type { FunctionTools, KeepPrelude, RunGroup, SubAgents } from '@toolyard/agent-host';
import type { InterventionOptions } from '@toolyard/agent-runtime';
import type { Clock, Owner, PermissionView, RunRecord } from '@toolyard/protocol';
import { defined, findDecision, isStorageFault, messageOf } from '@toolyard/protocol';
import type { SharedStorage } from '@toolyard/storage';
import type { Skills } from '../../built-in/skills/skills.ts';
import { toRoots } from '../../built-in/workspace/workspace-path.ts';
import type { AutoConfirmation } from '../../config/auto-confirmation.ts';
import type { Secrets } from '../../secrets/secrets.ts';
import type { Models, RunServers, ServerWait } from '../../services.ts';
import type { TabToolSource } from '../../tabs/tab-tool-source.ts';
import type { Telemetry } from '../../telemetry/telemetry.ts';
import { retryUntilStored } from '../../retry-until-stored.ts';
import { createRunBudgets } from './run-budgets.ts';
import { checkStarter, toolRefusal } from '../start/key-limits.ts';
import { needsModelDetails } from '../start/needs-model-details.ts';
import type { RunConfiguration } from './stored-run.ts';

type AccessedRun = {
  run: RunRecord;
  configuration: RunConfiguration;
  conversation: Pick<RunConversation, 'messages'>;
  /** The group as it is now. */
  group?: RunGroup | undefined;
  signal: AbortSignal;
  wait?: ServerWait;
};

export type RunAccessServices = {
  models: Pick<Models, 'open' | 'abilities' | 'price'>;
  servers: Pick<RunServers, 'select'>;
  storage: Pick<SharedStorage, 'permissions' | 'usage' | 'requestPreludes' | 'apiKeys'>;
  secrets: Pick<Secrets, 'seal' | 'unseal'>;
  tabs: Pick<TabToolSource, 'open'>;
  auto: Pick<AutoConfirmation, 'view'>;
  /** The function tools of this process. */
  functions: FunctionTools;
  skills?: Pick<Skills, 'ofRun'> | undefined;
  /** How symbolic links are resolved for decisions about calls, and where Toolyard stores its own data. */
  policy?: () => NonNullable<InterventionOptions['callContext']>;
  clock: Clock;
  telemetry?: Pick<Telemetry, 'traced'>;
  /** Aborted when this process releases its runs. */
  stopping: AbortSignal;
  /** Starts the child runs of a run. */
  subAgents: (of: { run: RunRecord; configuration: RunConfiguration }) => SubAgents;
  log: (line: string) => void;
};

/**
 * Opens the current model and tools of a run: a key or server that was changed while the run was parked takes effect
 * here. Permissions take effect with the next call.
 *
 * @throws ToolyardError if the provider of the model does not exist any more
 */
export async function openRunAccess(
  { run, configuration, conversation, signal, group, wait }: AccessedRun,
  services: RunAccessServices,
): Promise<DurableAccess> {
  const { storage, secrets, auto, clock } = services;
  const principal: Owner = { ownerId: run.ownerId };
  const { id: runId, conversationId, agentId } = run;
  const { subAgent, starter } = configuration;
  const [model, serverTools, abilities] = await Promise.all([
    services.models.open(principal, configuration.model),
    services.servers.select(configuration, signal, wait),
    services.models.abilities(principal, configuration.model, { ask: needsModelDetails(conversation.messages()) }),
  ]);
  // After the clock was set back, the creation time lies in the future and no tab has been seen since.
  const startedAt = Math.min(run.createdAt, clock.now());
  // The tabs of a sub-agent are those of the conversation that the user has open.
  const ofTabs = { principal, runId, conversationId: subAgent?.conversations[0] ?? conversationId };
  const tabTools = await services.tabs.open({ ...ofTabs, startedAt, configuration });
  let decided: readonly PermissionView[] = [];
  const lookUpDecided = async (): Promise<void> => {
    const lists = await Promise.all(
      [...(subAgent?.conversations ?? []), conversationId].map((id) =>
        storage.permissions.list(principal, { conversationId: id }),
      ),
    );
    decided = lists.flat();
  };
  const isAuto = configuration.intervention === 'auto';
  // A server without a sandbox may be added during the run: the mode `auto` applies only if all are confirmed.
  let unconfirmed: readonly string[] = [];
  const lookUpUnconfirmed = async (): Promise<void> => {
    if (isAuto) ({ unconfirmed } = await auto.view(principal, configuration.servers));
  };
  await lookUpUnconfirmed();
  // After the servers, which are connected by now.
  const skills = await services.skills?.ofRun(principal, configuration);
  const { budgets } = configuration;
  const callContext = services.policy?.();
  return {
    model: services.telemetry?.traced(runId, model) ?? model,
    abilities,
    sources: [serverTools, tabTools],
    functions: services.functions,
    refusal: toolRefusal(starter?.limits?.tools),
    skills,
    permission: (tool) => findDecision(tool, decided),
    async refresh() {
      await Promise.all([lookUpDecided(), lookUpUnconfirmed()]);
    },
    callContext,
    roots: toRoots(configuration.workspace, callContext?.own?.dataFolder),
    unconfirmed: isAuto ? () => unconfirmed : undefined,
    budgets:
      budgets.length > 0 || (subAgent?.budgets.length ?? 0) > 0 || starter !== undefined
        ? createRunBudgets(storage.usage, principal, {
            conversationId,
            agentId,
            budgets,
            ofParents: subAgent?.budgets ?? [],
            ...(starter ? { checkStarter: (at: number) => checkStarter(principal, starter, at, storage) } : {}),
            clock,
          })
        : undefined,
    keepPrelude: createKeeper(run, services),
    isChild: subAgent !== undefined,
    group,
    hasConversation: subAgent?.member?.kind === 'delegate',
    ...(configuration.limits.maxDepth > 0 ? { subAgents: services.subAgents({ run, configuration }) } : {}),
    summaries: await chooseSummaryModel(principal, configuration, services),
    // State of a server is valid in this run only.
    sealing: {
      seal: (text) => secrets.seal(principal, `run ${runId}`, text),
      open: (sealed) => secrets.unseal(principal, `run ${runId}`, sealed),
    },
  };
}

/** Undefined: the model of the run writes summaries, also if the chosen one does not exist any more. */
async function chooseSummaryModel(
  principal: Owner,
  { presetTasks }: RunConfiguration,
  { models }: RunAccessServices,
): Promise<DurableAccess['summaries']> {
  const chosen = presetTasks?.summarize;
  if (chosen === undefined || chosen === 'off') return chosen;
  try {
    const [model, price] = await Promise.all([models.open(principal, chosen), models.price(principal, chosen)]);
    return { model, modelId: chosen.modelId, ...defined({ price }) };
  } catch (thrown) {
    if (isStorageFault(thrown)) throw thrown;
    return undefined;
  }
}

/** The prelude of a request is stored in the background: the request does not wait for it. */
function createKeeper(
  { id: runId, ownerId, conversationId }: RunRecord,
  { storage, log, stopping, clock }: RunAccessServices,
): KeepPrelude {
  return (prelude) => {
    const id = createHash('sha256').update(JSON.stringify(prelude)).digest('hex');
    const put = (): unknown =>
      storage.requestPreludes.put({ ownerId }, conversationId, { id, prelude, at: clock.now() });
    retryUntilStored(put, { clock, signal: stopping }).catch((error: unknown) => {
      log(`run ${runId}: could not store the model inputs: ${messageOf(error)}`);
    });
    return id;
  };
}
