import type { Cluster } from '@toolyard/testing/postgres';
import type { ConversationView, RunEvent, StoredInterrupt } from '@toolyard/protocol';
import type { Fault, ServerInstance, ServerInstances, LivesDatabase } from '../support/server-instances.ts';
import type { SteeredMessage } from './history.ts';
import { judge } from './judge.ts';
import { readHistory, createQuery } from './process-history.ts';

/** Where a scenario takes place: in a fresh data folder, or in a fresh database. */
export type Engine = { name: 'sqlite' } | { name: 'postgres'; cluster: Cluster };

/** A fresh database on PostgreSQL, as an option of {@link ServerInstances}; dropped at the end, because a full run needs thousands. */
export async function databaseOn(engine: Engine): Promise<AsyncDisposable & { options: { database?: LivesDatabase } }> {
  if (engine.name === 'sqlite') return { options: {}, [Symbol.asyncDispose]: () => Promise.resolve() };
  const { cluster } = engine;
  const url = await cluster.createDatabase();
  return { options: { database: { url } }, [Symbol.asyncDispose]: () => cluster.dropDatabase(url) };
}

/** Who goes through the scenario, over any number of lives of the server. */
export type ScenarioActor = {
  /** What was read of each run, in the order it came. */
  readonly runs: readonly (readonly RunEvent[])[];
  /** The messages it sends to runs in progress. */
  readonly steered?: readonly SteeredMessage[];
  /** Runs as long as the server. */
  goOn(url: string): Promise<'over' | 'cut'>;
  view(url: string): Promise<ConversationView>;
  answered(url: string): Promise<StoredInterrupt[]>;
};

/** Starts a server that is killed: at a failpoint, or whenever the function that is given kills it. */
type Injection = Fault | (() => Promise<ServerInstance>);

export type Outcome = {
  /** False if the scenario was over before a fault was reached. */
  reached: boolean;
  view: ConversationView;
  answered: StoredInterrupt[];
  /** The failpoints passed, in order. */
  passed: string[];
  problems: string[];
};

export type FaultRun = {
  lives: ServerInstances;
  user: ScenarioActor;
  /** Injected one after another, each into a new process, until the scenario is over. */
  faults: readonly Injection[];
  /** As in {@link LivesRecord}. */
  asksInCalls?: boolean;
  /** Must not be in any file when the server was killed. */
  secret?: string;
  /** The fault is reached without doubt: waits for the kill even when the scenario is over. */
  certain?: boolean;
};

/** Goes through a scenario in servers that are killed, completes it in one that is not, and checks what is left. */
export async function runWithFaults(run: FaultRun): Promise<Outcome> {
  const { lives, user, faults, secret, asksInCalls = false, certain = false } = run;
  let reached = true;
  let sent = 0;
  const problems: string[] = [];
  for (const fault of faults) {
    // Null: killed before it answered.
    const life = await (typeof fault === 'function' ? fault() : lives.start(fault)).catch(() => null);
    reached = life === null || (await user.goOn(life.url)) === 'cut';
    if (certain) {
      const signal = await life?.exited();
      if (signal !== 'SIGKILL') problems.push(`the server exited with ${String(signal)} instead of being killed`);
    }
    await life?.end();
    if (secret !== undefined && lives.holds(secret)) problems.push(`"${secret}" is stored in plain text`);
    if (!reached) break;
    sent += await callsSent(lives);
  }
  const last = await lives.startHere();
  if ((await user.goOn(last.url)) === 'cut') problems.push('the server that nobody killed ended');
  const view = await user.view(last.url);
  const answered = await user.answered(last.url);
  await last.end();

  const doubts = answered.filter(isDoubt).length;
  // After several faults, a call may have been sent more than once before its interrupt.
  if (faults.length > 1 ? doubts > sent : doubts !== sent && !certain)
    problems.push(`${sent} calls were sent without a result, but ${doubts} have an interrupt`);
  const { runs, steered = [] } = user;
  problems.push(
    ...judge(await readHistory({ lives, runs, view, steered, asksInCalls })).problems,
    ...(await lives.damage()),
  );
  return { reached, view, answered, passed: lives.passed, problems };
}

/** How many calls of the counting tool were sent and not answered. `ask_user` has no effect and is called again. */
async function callsSent(lives: ServerInstances): Promise<number> {
  try {
    const [row] = await createQuery(lives)(
      "SELECT count(*) AS sent FROM tool_ledger WHERE status = 'sent' AND tool_name = 'count'",
    );
    return Number(row?.['sent']);
  } catch {
    // Killed before there were tables.
    return 0;
  }
}

export function isDoubt({ interrupt }: StoredInterrupt): boolean {
  return interrupt.kind === 'in_doubt';
}
