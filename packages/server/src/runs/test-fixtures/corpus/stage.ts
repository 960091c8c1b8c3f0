import type { Clock, Failpoint } from '@toolyard/protocol';
import { defined, systemClock, ToolyardError } from '@toolyard/protocol';
import type { SharedStorage } from '@toolyard/storage';
import { createIds, eventually } from '@toolyard/testing';
import { createLiveHub } from '../../../live/hub.ts';
import type { DurableRuns } from '../../start/create-run-service.ts';
import { ANNE, runsOver, transcriptLines } from '../setup.ts';
import type { CorpusScenario } from './scenarios.ts';
import { createModel, CORPUS_SCENARIOS } from './scenarios.ts';
import { CORPUS_FUNCTIONS, CORPUS_TOOLS } from './tools.ts';

const prefixes = createIds('stage');

/** The runs of a process that can play every scenario. */
export function openScenarioStage(
  storage: SharedStorage,
  options: { clock?: Clock; failpoint?: Failpoint; leaseMs?: number; log?: (line: string) => void } = {},
): DurableRuns {
  const { clock = systemClock, failpoint, leaseMs, log = () => {} } = options;
  return runsOver(storage, {
    model: (modelId) => createModel(getScenario(modelId)),
    tools: CORPUS_TOOLS,
    functions: CORPUS_FUNCTIONS,
    hub: createLiveHub(),
    clock,
    log,
    prefix: prefixes.next(),
    ...defined({ failpoint, leaseMs }),
  });
}

export function getScenario(name: string): CorpusScenario {
  const scenario = CORPUS_SCENARIOS[name];
  if (!scenario) throw new Error(`there is no story "${name}"`);
  return scenario;
}

/** Acts as the user; called at each moment before and after an action. */
export type PlayContext = { storage: SharedStorage; runs: DurableRuns; onMoment?: (place: string) => void };

/** Plays the users of the scenarios, by conversation, until no run is in progress. */
export async function playUsers(of: PlayContext, scenarios: ReadonlyMap<string, CorpusScenario>): Promise<void> {
  const { storage } = of;
  await eventually(
    async () => {
      const open = await storage.runs.listRuns(ANNE, { statuses: ACTIVE_STATUSES, limit: 9_999 });
      const ours = open.filter(({ conversationId }) => scenarios.has(conversationId));
      const queued = (await storage.queue.due()).filter(({ conversationId }) => scenarios.has(conversationId));
      await answerAll(of, scenarios);
      for (const run of ours) if (scenarios.get(run.conversationId)?.cancelled) await cancel(of, run.id);
      return ours.length === 0 && queued.length === 0;
    },
    { what: 'the end of all stories', timeoutMs: 240_000, everyMs: 30 },
  );
}

const ACTIVE_STATUSES = ['queued', 'running', 'parked'] as const;

async function answerAll(
  { storage, runs, onMoment }: PlayContext,
  scenarios: ReadonlyMap<string, CorpusScenario>,
): Promise<void> {
  const asked = await storage.runs.listInterrupts(ANNE, { status: 'open', limit: 9_999 });
  for (const { id, conversationId, interrupt } of asked) {
    const scenario = scenarios.get(conversationId);
    if (!scenario) continue;
    onMoment?.('person:asked');
    const answer = interrupt.kind === 'in_doubt' ? { decision: 'repeat' as const } : scenario.answers?.[interrupt.kind];
    if (!answer) throw new Error(`the person has no answer to an interrupt of the kind ${interrupt.kind}`);
    const isPage = interrupt.kind === 'elicitation' && interrupt.mode === 'url';
    await runs.answer(ANNE, id, isPage ? { decision: 'accept' } : answer).catch(ignoreLate);
    onMoment?.('person:answered');
  }
}

/** Cancels the run after its first output. */
async function cancel({ storage, runs, onMoment }: PlayContext, runId: string): Promise<void> {
  const events = (await storage.runs.readEvents(ANNE, runId, 0, 99)) ?? [];
  if (!events.some(({ type }) => type === 'text_delta')) return;
  await runs.cancel(ANNE, runId).catch(ignoreLate);
  onMoment?.('person:cancelled');
}

/** A user action may arrive after the run has moved on. */
function ignoreLate(thrown: unknown): void {
  if (!ToolyardError.isInstance(thrown) || thrown.code !== 'conflict') throw thrown;
}

/** The result of a conversation: how its runs ended, and the stored messages. */
export async function readOutcome(
  storage: SharedStorage,
  conversationId: string,
): Promise<{ statuses: string[]; told: string[] }> {
  const runs = await storage.runs.listRuns(ANNE, { conversationId, limit: 99 });
  return {
    statuses: runs.toSorted((a, b) => a.createdAt - b.createdAt).map(({ status }) => status),
    told: transcriptLines(await storage.messages.branch(ANNE, conversationId)),
  };
}
