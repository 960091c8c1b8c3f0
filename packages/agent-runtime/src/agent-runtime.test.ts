import { describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS, defined, ToolyardError } from '@toolyard/protocol';
import type { InstructionType, RunEventBody } from '@toolyard/protocol';
import { AgentRuntime } from './agent-runtime.ts';
import type { Executors, RunPoint } from './agent-runtime.ts';
import { GeneralChatAgent } from './general-chat-agent.ts';
import type { BudgetExcess } from './budget-checker.ts';
import type { Brain } from './general-chat-agent.ts';
import type { Ending, Instruction, InstructionOf } from './instructions.ts';
import type { AgentState, PendingCall } from './state.ts';
import { initialState } from './state.ts';

type Recorded = { events: RunEventBody[]; commits: RunPoint[] };

function engine(
  executors: Partial<Executors>,
  stopRequested?: () => Ending | null,
  agent: Brain = new GeneralChatAgent({ gate: () => ({ decision: 'run' }) }),
): { runtime: AgentRuntime } & Recorded {
  const events: RunEventBody[] = [];
  const commits: RunPoint[] = [];
  const throwUnexpectedCall = (): never => {
    throw new Error('unexpected call');
  };
  const runtime = new AgentRuntime({
    agent,
    executors: {
      call_llm: throwUnexpectedCall,
      call_tool: throwUnexpectedCall,
      call_tools_batch: throwUnexpectedCall,
      compress_context: throwUnexpectedCall,
      exec_sub_agent: throwUnexpectedCall,
      exec_sub_agents: throwUnexpectedCall,
      call_member: throwUnexpectedCall,
      pause_group: throwUnexpectedCall,
      request_human_approve: throwUnexpectedCall,
      request_human_prompt: throwUnexpectedCall,
      request_human_select: throwUnexpectedCall,
      request_human_budget: throwUnexpectedCall,
      resolve_aborted_tools: throwUnexpectedCall,
      finish: ({ ending }, state) => ({
        state: { ...state, status: ending.status },
        context: { phase: 'ending', ending },
      }),
      ...executors,
    },
    journal: {
      attempt: 1,
      append: (event) => events.push(event),
      beginStep: () => {},
      commit: (point) => {
        commits.push(point as RunPoint);
      },
    },
    ...defined({ stopRequested }),
  });
  return { runtime, events, commits };
}

function start(): RunPoint {
  const state = initialState({ runId: 'r', conversationId: 'c', startedAt: 0, limits: DEFAULT_LIMITS });
  return { state, context: { phase: 'user_input' } };
}

async function toTheEnd(runtime: AgentRuntime): Promise<RunPoint> {
  let at = start();
  while (at.state.status === 'running') at = await runtime.step(at.state, at.context);
  return at;
}

const ENDING: Ending = { status: 'done' };
const TOOL = { serverId: 'notes', name: 'note' };
const CALL: PendingCall = { callId: 'c', name: 'note', tool: TOOL, arguments: {}, decision: 'run' };
const EXCESS: BudgetExcess = {
  budget: { of: 'conversation', calls: 1 },
  measure: 'calls',
  spent: { calls: 1, tokens: 0, dollars: 0, unpriced: 0 },
};
/** One instruction of each type. */
const INSTRUCTIONS: { [Type in InstructionType]: InstructionOf<Type> } = {
  call_llm: { type: 'call_llm', toolChoice: 'auto' },
  compress_context: { type: 'compress_context', because: 'full' },
  call_tool: { type: 'call_tool', call: CALL },
  call_tools_batch: { type: 'call_tools_batch', calls: [CALL] },
  exec_sub_agent: { type: 'exec_sub_agent', calls: [CALL] },
  exec_sub_agents: { type: 'exec_sub_agents', calls: [CALL] },
  call_member: { type: 'call_member', agentId: 'a', kind: 'speak' },
  pause_group: { type: 'pause_group' },
  request_human_approve: { type: 'request_human_approve', calls: [CALL] },
  request_human_prompt: { type: 'request_human_prompt', calls: [CALL] },
  request_human_select: { type: 'request_human_select', calls: [CALL] },
  request_human_budget: { type: 'request_human_budget', excess: EXCESS, calls: [CALL] },
  resolve_aborted_tools: { type: 'resolve_aborted_tools', calls: [CALL], ending: ENDING },
  finish: { type: 'finish', ending: ENDING },
};

describe('AgentRuntime.step', () => {
  it.each(Object.values(INSTRUCTIONS))('executes $type with the executor of that name', async (instruction) => {
    const executed: [by: string, instruction: Instruction][] = [];
    const record = (name: string) => (instruction: Instruction, state: AgentState) => {
      executed.push([name, instruction]);
      return { state, context: { phase: 'user_input' as const } };
    };
    const executors = Object.fromEntries(Object.keys(INSTRUCTIONS).map((name) => [name, record(name)]));
    const { runtime } = engine(executors, undefined, { decide: () => instruction });
    const { state, context } = start();
    await runtime.step(state, context);
    expect(executed).toEqual([[instruction.type, instruction]]);
  });

  it('executes the instructions of the brain step by step and commits each', async () => {
    const { runtime, events, commits } = engine({
      call_llm: (_instruction, state) => ({
        state: { ...state, turns: state.turns + 1 },
        context: { phase: 'llm_result', hasText: true, toolChoice: 'auto', filtered: false },
      }),
    });
    const at = await toTheEnd(runtime);
    expect(at.state.status).toBe('done');
    expect(events.map((event) => event.type === 'step_started' && event.instruction)).toEqual(['call_llm', 'finish']);
    expect(commits.map(({ state }) => state.step)).toEqual([1, 2]);
  });

  it('keeps the state plain JSON', async () => {
    const { runtime, commits } = engine({
      call_llm: (_instruction, state) => ({
        state,
        context: { phase: 'llm_result', hasText: true, toolChoice: 'auto', filtered: false },
      }),
    });
    await toTheEnd(runtime);
    for (const point of commits) expect(JSON.parse(JSON.stringify(point))).toEqual(point);
  });

  it('ends the run if an executor throws, and withholds the text of internal errors', async () => {
    const { runtime } = engine({
      call_llm: () => {
        throw new Error('secret path in here');
      },
    });
    const at = await toTheEnd(runtime);
    expect(at.state.status).toBe('failed');
    expect(JSON.stringify(at.context)).not.toContain('secret');
    expect(at.context).toMatchObject({ ending: { error: { code: 'internal' } } });
  });

  it('keeps code and message of a ToolyardError', async () => {
    const { runtime } = engine({
      call_llm: () => {
        throw new ToolyardError({ code: 'network', message: 'no route' });
      },
    });
    expect((await toTheEnd(runtime)).context).toMatchObject({
      ending: { error: { code: 'network', message: 'no route' } },
    });
  });

  it('ends the run even if settling the open calls fails', async () => {
    const { runtime } = engine({
      call_llm: (_instruction, state) => ({
        state: {
          ...state,
          pending: [
            { callId: 'x', name: 'x', tool: { serverId: 's', name: 'x' }, arguments: {}, decision: 'undecided' },
          ],
        },
        context: { phase: 'llm_result', hasText: false, toolChoice: 'none', filtered: false },
      }),
      resolve_aborted_tools: () => {
        throw new Error('disk full');
      },
    });
    expect((await toTheEnd(runtime)).state.status).toBe('failed');
  });

  it('checks before each step whether the run has to stop', async () => {
    const { runtime, events } = engine({}, () => ({ status: 'cancelled' }));
    expect((await toTheEnd(runtime)).state.status).toBe('cancelled');
    expect(events).toEqual([{ type: 'step_started', instruction: 'finish' }]);
  });
});
