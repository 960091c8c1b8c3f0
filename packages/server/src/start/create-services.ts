import { FunctionTools } from '@toolyard/agent-host';
import { resolvePath } from '@toolyard/agent-host/node';
import { killOrphans } from '@toolyard/mcp-host/node';
import { defined, messageOf } from '@toolyard/protocol';
import { createServerTools, createSkills } from '../built-in/server-tools.ts';
import { createMediaSettings } from '../built-in/media/media-settings.ts';
import { createWebSettings } from '../built-in/web/web-settings.ts';
import { createConfigurations } from '../config/configurations.ts';
import { createEmailChannel } from '../email/email-channel.ts';
import { readEmail } from '../email/email-settings.ts';
import { createHttpModelCalls } from '../http/routes/model-calls.ts';
import { OWNER } from '../http/types.ts';
import { createCallLimit } from '../models/call-limit.ts';
import { createConversationTitles } from '../models/conversation-titles.ts';
import { createPresetTasks } from '../models/preset-tasks.ts';
import { retryUntilStored } from '../retry-until-stored.ts';
import { createRelayedTabTools } from '../roles/relayed-tab-tools.ts';
import { createRunService } from '../runs/start/create-run-service.ts';
import type { Servers } from '../mcp/operations.ts';
import type { Schedules } from '../schedules/schedules.ts';
import { createSchedules } from '../schedules/schedules.ts';
import type { ShutdownStack } from '../shutdown-stack.ts';
import { createTabToolSource } from '../tabs/tab-tool-source.ts';
import { readTelemetry } from '../telemetry/telemetry-settings.ts';
import { createTriggers } from '../triggers/triggers.ts';
import { createWebhooks } from '../webhooks/webhooks.ts';
import { createMcpServers } from './create-mcp-servers.ts';
import { createLate } from './late.ts';
import type { Stores } from './open-stores.ts';

/** Everything that the API offers. Runs, schedules and webhooks are not started yet. */
export type Services = Awaited<ReturnType<typeof createServices>>;

/** Creates tools, MCP servers, runs and what starts runs. */
export async function createServices(stores: Stores, shutdown: ShutdownStack) {
  const { options, overrides, settings, capabilities, clock, log, cluster, clusterHub } = stores;
  if (capabilities.servers !== 'none') logOrphans(await killOrphans(clock), log);
  const { serversOfTools, schedulesOfTools, ...tools } = await createTools(stores, shutdown);
  const { functions, skills, configurations } = tools;
  const servers = await createMcpServers(stores, functions);
  serversOfTools.set(servers);
  shutdown.defer('MCP servers', () => servers.close());
  const telemetry = await openTelemetry(stores, shutdown);
  // With port 0 the port is known once the server listens; runs start after that.
  const port = createLate<number>('the port');
  port.set(settings.port);
  const policy = () => ({ own: { dataFolder: options.dataDir, port: port.get() }, resolvePath });
  const titles = createTitles(stores, { configurations, telemetry });
  const { failpoint, leaseMs, claimExpiredEveryMs, lastCallsMs } = overrides;
  const { storage, models, secrets, hub, ids, metrics } = stores;
  const runs = createRunService({
    storage,
    models,
    servers,
    secrets,
    tabs: createTabToolSource({ storage, hub, clock }),
    functions,
    skills,
    configurations,
    hub,
    clock,
    ids,
    log,
    executesRuns: capabilities.runs,
    ...(cluster && !capabilities.runs ? { tabToolsElsewhere: createRelayedTabTools(cluster) } : {}),
    policy,
    ...(clusterHub ? { wakeElsewhere: (runId: string) => clusterHub.wake(runId) } : {}),
    ...(titles ? { titles } : {}),
    ...(metrics ? { metrics } : {}),
    ...(telemetry ? { telemetry } : {}),
    ...defined({ failpoint, leaseMs, claimExpiredEveryMs, lastCallsMs }),
  });
  if (capabilities.runs) cluster?.serveTabTools(runs.tabTools);
  const webhooks = await openWebhooks(stores);
  shutdown.defer('webhook deliveries', () => webhooks.close());
  clusterHub?.start({ onWake: (runId) => runs.wake(runId), onServers: () => cluster?.look() });
  shutdown.defer('titles', () => titles?.close());
  shutdown.defer('runs', () => runs.close());
  const started = { storage, runs, servers, hub, clock, ids, log, alone: cluster === null, ...defined({ failpoint }) };
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const schedules = createSchedules({ ...started, timeZone });
  schedulesOfTools.set(schedules);
  shutdown.defer('schedules', () => schedules.close());
  const triggers = createTriggers({ ...started, secrets });
  shutdown.defer('incoming webhooks', () => triggers.close());
  const stopping = new AbortController();
  shutdown.defer('sign-ins', () => stopping.abort());
  servers.onSignedIn((id) => {
    retryUntilStored(() => runs.signedIn(OWNER, id), { clock, signal: stopping.signal }).catch((error: unknown) =>
      log(`sign-in: ${messageOf(error)}`),
    );
  });
  return { ...tools, servers, telemetry, port, policy, runs, webhooks, schedules, triggers };
}

/** The function tools of this process. Some use services that are made of them: servers and schedules. */
async function createTools(stores: Stores, shutdown: ShutdownStack) {
  const { options, file, clock, storage, secrets, models } = stores;
  const { dataDir } = options;
  const configurations = createConfigurations({
    storage,
    fileDefaults: file.defaults,
    standardModel: (principal) => models.standard(principal),
  });
  const callPolicy = createCallLimit();
  const webTools = createWebSettings({ settings: storage.settings, secrets, clock });
  const mediaTools = createMediaSettings({ settings: storage.settings, clock });
  const serversOfTools = createLate<Servers>('the MCP servers');
  const schedulesOfTools = createLate<Schedules>('the schedules');
  const skills = createSkills({ settings: storage.settings, dataDir, clock, servers: () => serversOfTools.get() });
  const settings = { configurations, callPolicy, webTools, mediaTools };
  const serverTools =
    options.hasServerTools === true
      ? await createServerTools({
          ...stores,
          ...settings,
          skills,
          schedules: () => schedulesOfTools.get(),
          owner: OWNER,
          dataDir,
        })
      : null;
  shutdown.defer('built-in tools', () => serverTools?.close());
  const functions = new FunctionTools([...(options.functionTools ?? []), ...(serverTools?.groups ?? [])]);
  return { ...settings, skills: skills.skills, functions, serversOfTools, schedulesOfTools };
}

async function openTelemetry({ options, file, clock, log }: Stores, shutdown: ShutdownStack) {
  const settings = readTelemetry(options.env, file.telemetry);
  const telemetry = settings && (await import('../telemetry/telemetry.ts')).createTelemetry({ settings, clock, log });
  shutdown.defer('traces', () => telemetry?.close());
  return telemetry;
}

function createTitles(
  { options, overrides, storage, models, ids, hub, clock, log }: Stores,
  { configurations, telemetry }: Pick<Services, 'configurations' | 'telemetry'>,
) {
  if (options.generatesTitles !== true) return null;
  const calls = createHttpModelCalls({ storage, models, configurations, clock, log });
  const tasks = createPresetTasks({
    storage,
    calls,
    configurations,
    models,
    ids,
    clock,
    ...(telemetry ? { telemetry } : {}),
  });
  return createConversationTitles({
    storage,
    tasks,
    hub,
    clock,
    log,
    ...defined({ failpoint: overrides.failpoint }),
  });
}

function openWebhooks({ options, file, storage, secrets, ids, clock, log }: Stores) {
  const email = readEmail(options.env, file.email);
  return createWebhooks({
    storage,
    secrets,
    clock,
    ids,
    log,
    owner: OWNER,
    file: file.webhook,
    email: email && createEmailChannel({ settings: email, storage, clock }),
  });
}

function logOrphans(pids: readonly number[], log: (line: string) => void): void {
  if (pids.length === 0) return;
  log(
    `MCP servers: stopped ${pids.length} processes left by a killed Toolyard process (process ids: ${pids.join(', ')})`,
  );
}
