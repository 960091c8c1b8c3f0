import type { Failpoint, JudgedCall, RunJournal } from '@toolyard/protocol';
import { defined } from '@toolyard/protocol';
import type { Brain, Ending, Executors, RunPoint } from '@toolyard/agent-runtime';
import { AgentRuntime } from '@toolyard/agent-runtime';

export type DriveOptions = {
  /** The state to continue from: new, or the last committed one. */
  point: RunPoint;
  brain: Brain;
  executors: Executors;
  journal: RunJournal;
  /** Called before each step; returns an ending if a user or a limit stops the run. */
  stopRequested: () => Ending | null;
  /** Called before these calls are checked: updates what the brain decides by. */
  refresh?: (calls: readonly JudgedCall[]) => void | Promise<void>;
  /** Called between two steps without open calls: looks for steering messages. */
  pollSteering?: () => SteeringMessage | Promise<SteeringMessage>;
  /** Called before each step that may use up a budget: updates the usage. */
  count?: (() => void | Promise<void>) | undefined;
  failpoint?: Failpoint | undefined;
  onDefect?: ((thrown: unknown) => void) | undefined;
};

/** Adds the steering messages to conversation and journal; null if there are none. */
export type SteeringMessage = (() => void) | null;

/**
 * Executes steps until the run is over or parked. The same loop in a process, on a server and in a tab; only journal
 * and executors differ. Rejects only if the journal cannot commit.
 */
export async function driveRun(options: DriveOptions): Promise<RunPoint> {
  const { brain, executors, journal, stopRequested, refresh, pollSteering, count, failpoint, onDefect } = options;
  const runtime = new AgentRuntime({ agent: brain, executors, journal, stopRequested, onDefect });
  let { point } = options;
  while (point.state.status === 'running') {
    if (failpoint) await failpoint(`step:${point.context.phase}`);
    if (refresh && point.state.pending.length > 0) {
      const refreshed = refresh(listCalls(point));
      if (refreshed) await refreshed;
    }
    if (pollSteering && !stopRequested() && canSteer(point)) {
      journal.beginStep(point.state.step);
      const polled = pollSteering();
      const addMessages = polled instanceof Promise ? await polled : polled;
      if (addMessages) {
        // No await between here and the commit, so that the message and the new state are stored together.
        addMessages();
        point = { state: { ...point.state, step: point.state.step + 1 }, context: { phase: 'user_input' } };
        await journal.commit(point);
      }
    }
    const counted = point.context.phase === 'ending' ? undefined : count?.();
    if (counted) await counted;
    point = await runtime.step(point.state, point.context);
  }
  return point;
}

function listCalls({ state }: RunPoint): JudgedCall[] {
  return state.pending.flatMap((call) => {
    const { tool, arguments: args, textCall } = call;
    return tool === null || call.problem ? [] : [{ tool, arguments: args, ...defined({ textCall }) }];
  });
}

/** Only between turns, and only if the run would continue anyway. */
function canSteer({ state, context }: RunPoint): boolean {
  if (state.pending.length > 0 || state.turns >= state.limits.maxTurns) return false;
  switch (context.phase) {
    case 'user_input':
      return context.continues === undefined;
    case 'llm_result':
      return context.error === undefined;
    case 'tool_result':
    case 'tools_batch_result':
      return true;
    default:
      return false;
  }
}
