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

/** The server takes a tab for gone that says nothing for 90 seconds. */
const SAY_EVERY_MS = 20_000;

const working = new Map<string, TabRun>();
/** Runs of this tab that wait for a person: it goes on with them when they have answered. */
const resting = new Map<string, string>();
/** Runs that were to begin here, and may have: the answer to that was lost on its way. */
const unanswered = new Set<string>();
let saidAt = 0;

/** Begins a run whose loop is here. */
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

/** True where nobody can say whether the server did what it was asked to. */
function isUnknown(thrown: unknown): boolean {
  return thrown instanceof ApiError && (thrown.status === 0 || thrown.status >= 500);
}

/** The line is back: a run of this tab that has begun without it is taken up. */
async function lookForBegun(): Promise<void> {
  for (const id of [...unanswered]) {
    unanswered.delete(id);
    await takeOverRun(id).catch((thrown: unknown) => {
      if (isUnknown(thrown)) unanswered.add(id);
    });
  }
}

/** Goes on here with a run another tab began, or this one before it was loaded anew. */
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

/** Whoever answers last, in whichever tab: the one whose run it was goes on with it. */
async function goOn(runId: string): Promise<void> {
  const { items } = await api.get('/api/interrupts', { query: { run: runId, status: 'open' } });
  if (items.length > 0 && !(await isStopped(runId))) return;
  const { status } = await api.get('/api/runs/{id}', { params: { id: runId } });
  // Told twice of one answer it goes on once.
  if (!resting.delete(runId)) return;
  if (status === 'parked' || status === 'waiting_for_tab') await takeOverRun(runId).catch(() => tell());
  else tell();
}

/** True where an answer ends the run: it waits for no other then. */
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
// Answers that were given while there was no stream were announced to nobody.
live.onHello(() => goOnAnswered());
live.onChanged(({ what, id }) => {
  if (what !== 'interrupts' && what !== 'tab_calls') return;
  for (const run of working.values()) if (id === undefined || run.conversationId === id) void run.listen();
  goOnAnswered(id);
});

/** Continues the runs that rest here, or those of one conversation, if they were answered. */
function goOnAnswered(id?: string): void {
  for (const [runId, conversationId] of resting) {
    if (id === undefined || conversationId === id) void goOn(runId).catch(() => undefined);
  }
}
