import type { InstructionType, RunJournal } from '@toolyard/protocol';
import { toErrorInfo } from '@toolyard/protocol';
import type { Brain } from './general-chat-agent.ts';
import type { AgentContext, Ending, InstructionOf } from './instructions.ts';
import type { AgentState } from './state.ts';

/**
 * A run between two steps: its state and what the brain decides about next. Plain JSON, sufficient to continue the run.
 */
export type RunPoint = { state: AgentState; context: AgentContext };

/** Executes one type of instruction. */
export type Executor<T extends InstructionType> = (
  instruction: InstructionOf<T>,
  state: AgentState,
) => Promise<RunPoint> | RunPoint;

export type Executors = { [T in InstructionType]: Executor<T> };

export type AgentRuntimeOptions = {
  agent: Brain;
  executors: Executors;
  journal: RunJournal;
  /** Called before each step; returns an ending if a user or a limit stops the run. */
  stopRequested?: () => Ending | null;
  /** Receives the error of an executor; the run itself only reports an internal error. */
  onDefect?: ((thrown: unknown) => void) | undefined;
};

/**
 * The engine: asks the brain for an instruction, executes it and commits. Independent of models and tools.
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

  /** Executes one instruction and commits it. Does not throw if an executor throws: the run then ends as failed. */
  async step(state: AgentState, context: AgentContext): Promise<RunPoint> {
    const { agent, journal } = this.#options;
    const ending = context.phase === 'ending' ? null : (this.#options.stopRequested?.() ?? null);
    const instruction = agent.decide(state, ending ? { phase: 'ending', ending } : context);
    journal.beginStep(state.step);
    journal.append({ type: 'step_started', instruction: instruction.type });
    const result = await this.#execute(instruction, state);
    const next = { ...result.state, step: state.step + 1 };
    const point = { state: next, context: result.context };
    const committed = journal.commit(point);
    if (committed) await committed;
    return point;
  }

  async #execute<T extends InstructionType>(instruction: InstructionOf<T>, state: AgentState): Promise<RunPoint> {
    // The map assigns each instruction type its executor, which TypeScript cannot follow through a union.
    const execute = this.#options.executors[instruction.type] as Executor<T>;
    try {
      return await execute(instruction, state);
    } catch (thrown) {
      this.#options.onDefect?.(thrown);
      if (instruction.type === 'finish') throw thrown;
      // Without this, a failing `resolve_aborted_tools` would be repeated forever.
      const settled = instruction.type === 'resolve_aborted_tools' ? { ...state, pending: [] } : state;
      return { state: settled, context: { phase: 'ending', ending: { status: 'failed', error: toErrorInfo(thrown) } } };
    }
  }
}
