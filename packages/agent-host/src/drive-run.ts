import type { Failpoint, RunJournal, ToolReference } from '@toolyard/protocol';
import type { Brain, Ending, Executors, RunPoint } from '@toolyard/agent-runtime';
import { AgentRuntime } from '@toolyard/agent-runtime';

export type DriveOptions = {
  /** Where the run stands: new, or as it was committed last. */
  point: RunPoint;
  brain: Brain;
  executors: Executors;
  journal: RunJournal;
  /** Tells, before each step, whether a person or a limit wants the run to end. */
  stopRequested: () => Ending | null;
  /** Called before calls of these tools are judged: brings up to date what the brain decides by. */
  refresh?: (tools: readonly ToolReference[]) => void | Promise<void>;
  /** Called between two steps where nothing is open: looks for what the person has said meanwhile. */
  pollSteering?: () => SteeringMessage | Promise<SteeringMessage>;
  /** Called before anything that uses up a budget is decided: brings up to date what was used. */
  count?: (() => void | Promise<void>) | undefined;
  failpoint?: Failpoint | undefined;
  onDefect?: ((thrown: unknown) => void) | undefined;
};

/** Puts what was said into conversation and journal; null where there was nothing. */
export type SteeringMessage = (() => void) | null;

/**
 * Takes one step after the other until the run is over or parked. The one loop there is: in a process, on a server
 * and in a tab only journal and executors differ. Rejects only where the journal cannot commit.
 */
export async function driveRun(options: DriveOptions): Promise<RunPoint> {
  const { brain, executors, journal, stopRequested, refresh, pollSteering, count, failpoint, onDefect } = options;
  const runtime = new AgentRuntime({ agent: brain, executors, journal, stopRequested, onDefect });
  let { point } = options;
  while (point.state.status === 'running') {
    if (failpoint) await failpoint(`step:${point.context.phase}`);
    if (refresh && point.state.pending.length > 0) {
      const refreshed = refresh(toolsOf(point));
      if (refreshed) await refreshed;
    }
    if (pollSteering && !stopRequested() && canHear(point)) {
      journal.beginStep(point.state.step);
      const looked = pollSteering();
      const say = looked instanceof Promise ? await looked : looked;
      if (say) {
        // Nothing is waited for from here on: a run that has heard and would not know it is not stored.
        say();
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

function toolsOf({ state }: RunPoint): ToolReference[] {
  return state.pending.map(({ tool }) => tool).filter((tool) => tool !== null);
}

/** Never between a call and its result, nor where the run would end all the same. */
function canHear({ state, context }: RunPoint): boolean {
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
