import type { InstructionType, RunJournal } from '@toolyard/protocol';
import { toErrorInfo } from '@toolyard/protocol';
import type { Brain } from './general-chat-agent.ts';
import type { AgentContext, Ending, InstructionOf } from './instructions.ts';
import type { AgentState } from './state.ts';

/** Where a run stands between two steps, and what the brain is to look at next: plain JSON, all a run goes on from. */
export type RunPoint = { state: AgentState; context: AgentContext };

/** Carries out one kind of instruction. */
export type Executor<T extends InstructionType> = (
  instruction: InstructionOf<T>,
  state: AgentState,
) => Promise<RunPoint> | RunPoint;

export type Executors = { [T in InstructionType]: Executor<T> };

export type AgentRuntimeOptions = {
  agent: Brain;
  executors: Executors;
  journal: RunJournal;
  /** Tells, before each step, whether a person or a limit wants the run to end. */
  stopRequested?: () => Ending | null;
  /** Told of what an executor threw: the run itself only says that something went wrong. */
  onDefect?: ((thrown: unknown) => void) | undefined;
};

/**
 * The engine: asks the brain for an instruction, has it carried out, commits. It knows neither models nor tools.
 *
 * @example
 * let point: RunPoint = { state: initialState(run), context: { phase: 'user_input' } };
 * while (point.state.status === 'running') point = await runtime.step(point.state, point.context);
 */
export class AgentRuntime {
  readonly #options: AgentRuntimeOptions;

  constructor(options: AgentRuntimeOptions) {
    this.#options = options;
  }

  /**
   * Carries out one instruction and commits it. Never throws for what an executor throws: the run then goes on to
   * its end as failed.
   */
  async step(state: AgentState, context: AgentContext): Promise<RunPoint> {
    const { agent, journal } = this.#options;
    const ending = context.phase === 'ending' ? null : (this.#options.stopRequested?.() ?? null);
    const instruction = agent.decide(state, ending ? { phase: 'ending', ending } : context);
    journal.beginStep(state.step);
    journal.append({ type: 'step_started', instruction: instruction.type });
    const result = await this.#carryOut(instruction, state);
    const next = { ...result.state, step: state.step + 1 };
    const point = { state: next, context: result.context };
    const committed = journal.commit(point);
    if (committed) await committed;
    return point;
  }

  async #carryOut<T extends InstructionType>(instruction: InstructionOf<T>, state: AgentState): Promise<RunPoint> {
    // The map pairs each instruction with its executor; TypeScript cannot follow that through a union.
    const execute = this.#options.executors[instruction.type] as Executor<T>;
    try {
      return await execute(instruction, state);
    } catch (thrown) {
      this.#options.onDefect?.(thrown);
      if (instruction.type === 'finish') throw thrown;
      // Calls that could not be settled must not be settled for ever.
      const settled = instruction.type === 'resolve_aborted_tools' ? { ...state, pending: [] } : state;
      return { state: settled, context: { phase: 'ending', ending: { status: 'failed', error: toErrorInfo(thrown) } } };
    }
  }
}
