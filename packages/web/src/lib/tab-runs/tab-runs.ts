import { isStop } from '@toolyard/agent-runtime';
import { systemClock, TAB_RUNS_VERSION } from '@toolyard/protocol';
import type { FromTab, LeasedTabRun, RunRecord, StartRunInTab } from '@toolyard/protocol';
import { api } from '../api/client.ts';
import { ApiError } from '../api/error.ts';
import { sessionFetch } from '../api/session-fetch.ts';
import { mcpStore } from '../mcp/mcp-store.svelte.ts';
import { live } from '../state/live.svelte.ts';
import { tabId } from '../state/tab-id.ts';
import { uuid } from '../transcript/uuid.ts';
import { runPlaces } from './run-places.svelte.ts';
import { TabRun } from './tab-run.ts';

/** The server considers a tab gone after 90 seconds without a message, in milliseconds. */
const SAY_EVERY_MS = 20_000;

const working = new Map<string, TabRun>();
/** Parked runs of this tab, which continue after an answer. */
const resting = new Map<string, string>();
/** Runs that may have been created here: the response to their creation was lost. */
const unanswered = new Set<string>();
let saidAt = 0;

/** Starts a run whose loop executes in this tab. */
export async function startTabRun(request: StartRunInTab): Promise<RunRecord> {
  const id = request.id ?? uuid();
  const body: FromTab<StartRunInTab> = { v: TAB_RUNS_VERSION, ...request, id };
  unanswered.delete(id);
  try {
    const held = await api.post('/api/tabs/{tab}/runs', { params: { tab: tabId }, body });
    await drive(held);
    return held.run;
  } catch (thrown) {
    if (isUnknown(thrown)) unanswered.add(id);
    throw thrown;
  }
}

/** True if it is unknown whether the server has processed the request. */
function isUnknown(thrown: unknown): boolean {
  return thrown instanceof ApiError && (thrown.status === 0 || thrown.status >= 500);
}

/** Reconnected: continues a run of this tab that was created although its response was lost. */
async function lookForBegun(): Promise<void> {
  for (const id of [...unanswered]) {
    unanswered.delete(id);
    await takeOverRun(id).catch((thrown: unknown) => {
      if (isUnknown(thrown)) unanswered.add(id);
    });
  }
}

/** Continues a run here that another tab started, or this one before it was reloaded. */
export async function takeOverRun(runId: string): Promise<void> {
  const { held } = await api.post('/api/tabs/{tab}/runs/{run}/claim', {
    params: { tab: tabId, run: runId },
    body: { v: TAB_RUNS_VERSION },
  });
  if (held) await drive(held);
}

async function drive(held: LeasedTabRun): Promise<void> {
  const host = await mcpStore.host();
  const run = new TabRun(held, {
    api,
    tabId,
    host,
    idsOn: (servers) => mcpStore.idsOn(servers),
    fetch: sessionFetch,
    clock: systemClock,
  });
  working.set(run.id, run);
  runPlaces.regain(run.id);
  resting.delete(run.id);
  tell();
  void run.result.then((end) => {
    if (working.get(run.id) === run) working.delete(run.id);
    if (end === 'rested') resting.set(run.id, run.conversationId);
    if (end === 'lost' && !working.has(run.id)) runPlaces.lose(run.id, run.refusal);
    tell();
    if (end === 'rested') void goOn(run.id);
  });
}

/** The last answer may come from any tab: the tab the run belongs to continues it. */
async function goOn(runId: string): Promise<void> {
  const { items } = await api.get('/api/interrupts', { query: { run: runId, status: 'open' } });
  if (items.length > 0 && !(await isStopped(runId))) return;
  const { status } = await api.get('/api/runs/{id}', { params: { id: runId } });
  // A repeated notification of an answer continues the run only once.
  if (!resting.delete(runId)) return;
  if (status === 'parked' || status === 'waiting_for_tab') await takeOverRun(runId).catch(() => tell());
  else tell();
}

/** True if an answer ends the run, which then waits for no other. */
async function isStopped(runId: string): Promise<boolean> {
  const { items } = await api.get('/api/interrupts', { query: { run: runId, status: 'answered' } });
  return items.some(({ answer }) => answer !== null && isStop(answer));
}

function tell(): void {
  runPlaces.mine = new Set([...working.keys(), ...resting.keys()]);
}

function listen(): void {
  saidAt = performance.now();
  for (const run of working.values()) void run.listen();
}

live.onSign(() => {
  if (working.size > 0 && performance.now() - saidAt >= SAY_EVERY_MS) listen();
});
live.onHello(listen);
live.onHello(() => void lookForBegun());
// Answers given while the stream was disconnected were not announced.
live.onHello(() => goOnAnswered());
live.onChanged(({ what, id }) => {
  if (what !== 'interrupts' && what !== 'tab_calls') return;
  for (const run of working.values()) if (id === undefined || run.conversationId === id) void run.listen();
  goOnAnswered(id);
});

/** Continues the parked runs of this tab, or of one conversation, if their interrupts were answered. */
function goOnAnswered(id?: string): void {
  for (const [runId, conversationId] of resting) {
    if (id === undefined || conversationId === id) void goOn(runId).catch(() => undefined);
  }
}
