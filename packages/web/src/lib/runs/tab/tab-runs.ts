import { isStop } from '@toolyard/agent-runtime';
import { systemClock, TAB_RUNS_VERSION } from '@toolyard/protocol';
import type { FromTab, LeasedTabRun, RunRecord, StartRunInTab } from '@toolyard/protocol';
import { api } from '../../api/client.ts';
import { ApiError } from '../../api/error.ts';
import { sessionFetch } from '../../api/session-fetch.ts';
import { mcpStore } from '../../mcp/mcp-store.svelte.ts';
import { live } from '../../live/live.svelte.ts';
import { tabId } from '../../live/tab-id.ts';
import { uuid } from '../../transcript/uuid.ts';
import { runPlaces } from './run-places.svelte.ts';
import { TabRun } from './tab-run.ts';

/** The server considers a tab gone after 90 seconds without a message, in milliseconds. */
const HEARTBEAT_MS = 20_000;

const executing = new Map<string, TabRun>();
/** Parked runs of this tab, which continue after an answer, or when their sub-agents have ended. */
const parked = new Map<string, string>();
/** Parked runs that are being claimed. What is announced meanwhile may be too late for that request: it is repeated. */
const claiming = new Map<string, { conversationId: string; isAnnounced: boolean }>();
/** Runs that may have been created here: the response to their creation was lost. */
const unconfirmed = new Set<string>();
let lastHeartbeat = 0;

/** Starts a run whose loop executes in this tab. */
export async function startTabRun(request: StartRunInTab): Promise<RunRecord> {
  const id = request.id ?? uuid();
  const body: FromTab<StartRunInTab> = { v: TAB_RUNS_VERSION, ...request, id };
  unconfirmed.delete(id);
  try {
    const held = await api.post('/api/tabs/{tab}/runs', { params: { tab: tabId }, body });
    await execute(held);
    return held.run;
  } catch (thrown) {
    if (isUnknown(thrown)) unconfirmed.add(id);
    throw thrown;
  }
}

/** True if it is unknown whether the server has processed the request. */
function isUnknown(thrown: unknown): boolean {
  return thrown instanceof ApiError && (thrown.status === 0 || thrown.status >= 500);
}

/** Reconnected: continues a run of this tab that was created although its response was lost. */
async function recoverUnconfirmed(): Promise<void> {
  for (const id of [...unconfirmed]) {
    unconfirmed.delete(id);
    await claimRun(id).catch((thrown: unknown) => {
      if (isUnknown(thrown)) unconfirmed.add(id);
    });
  }
}

/**
 * Continues a run here that another tab started, or this one before it was reloaded. False if it still waits for a user
 * or for its sub-agents.
 */
export async function claimRun(runId: string): Promise<boolean> {
  const { held } = await api.post('/api/tabs/{tab}/runs/{run}/claim', {
    params: { tab: tabId, run: runId },
    body: { v: TAB_RUNS_VERSION },
  });
  if (held) await execute(held);
  return held !== null;
}

async function execute(held: LeasedTabRun): Promise<void> {
  const host = await mcpStore.host();
  const run = new TabRun(held, {
    api,
    tabId,
    host,
    idsOn: (servers) => mcpStore.idsOn(servers),
    fetch: sessionFetch,
    port: Number(location.port) || undefined,
    clock: systemClock,
  });
  executing.set(run.id, run);
  runPlaces.clearLost(run.id);
  parked.delete(run.id);
  updateMine();
  void run.result.then((end) => {
    if (executing.get(run.id) === run) executing.delete(run.id);
    if (end === 'parked') parked.set(run.id, run.conversationId);
    if (end === 'lost' && !executing.has(run.id)) runPlaces.markLost(run.id, run.rejection);
    updateMine();
    if (end === 'parked') void continueParked(run.id);
  });
}

/** The last answer may come from any tab: the tab the run belongs to continues it. */
async function continueParked(runId: string): Promise<void> {
  const { items } = await api.get('/api/interrupts', { query: { run: runId, status: 'open' } });
  if (items.length > 0 && !(await isStopped(runId))) return;
  const { status } = await api.get('/api/runs/{id}', { params: { id: runId } });
  // A repeated notification of an answer continues the run only once.
  const conversationId = parked.get(runId);
  if (conversationId === undefined || !parked.delete(runId)) return;
  if (status === 'parked' || status === 'waiting_for_tab') {
    const claim = { conversationId, isAnnounced: false };
    claiming.set(runId, claim);
    const isClaimed = await claimRun(runId).catch(() => true);
    claiming.delete(runId);
    if (!isClaimed && !executing.has(runId)) {
      parked.set(runId, conversationId);
      if (claim.isAnnounced) void continueParked(runId).catch(() => undefined);
    }
  }
  updateMine();
}

/** True if an answer ends the run, which then waits for no other. */
async function isStopped(runId: string): Promise<boolean> {
  const { items } = await api.get('/api/interrupts', { query: { run: runId, status: 'answered' } });
  return items.some(({ answer }) => answer !== null && isStop(answer));
}

function updateMine(): void {
  runPlaces.mine = new Set([...executing.keys(), ...parked.keys()]);
}

function sendHeartbeats(): void {
  lastHeartbeat = performance.now();
  for (const run of executing.values()) void run.sendHeartbeat();
}

live.onData(() => {
  if (executing.size > 0 && performance.now() - lastHeartbeat >= HEARTBEAT_MS) sendHeartbeats();
});
live.onHello(sendHeartbeats);
live.onHello(() => void recoverUnconfirmed());
// Answers given while the stream was disconnected were not announced.
live.onHello(() => continueAnswered());
live.onChanged(({ what, id }) => {
  if (what !== 'interrupts' && what !== 'tab_calls') return;
  for (const run of executing.values()) if (id === undefined || run.conversationId === id) void run.sendHeartbeat();
  continueAnswered(id);
});

/** Continues the parked runs of this tab, or of one conversation, if their interrupts were answered. */
function continueAnswered(id?: string): void {
  for (const claim of claiming.values()) claim.isAnnounced ||= id === undefined || claim.conversationId === id;
  for (const [runId, conversationId] of parked) {
    if (id === undefined || conversationId === id) void continueParked(runId).catch(() => undefined);
  }
}
