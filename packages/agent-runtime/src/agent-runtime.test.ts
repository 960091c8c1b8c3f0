import { describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS, defined, ToolyardError } from '@toolyard/protocol';
import type { RunEventBody } from '@toolyard/protocol';
import { AgentRuntime } from './agent-runtime.ts';
import type { Executors, RunPoint } from './agent-runtime.ts';
import { GeneralChatAgent } from './general-chat-agent.ts';
import type { Ending } from './instructions.ts';
import { initialState } from './state.ts';

type Recorded = { events: RunEventBody[]; commits: RunPoint[] };

function engine(
  executors: Partial<Executors>,
  stopRequested?: () => Ending | null,
): { runtime: AgentRuntime } & Recorded {
  const events: RunEventBody[] = [];
  const commits: RunPoint[] = [];
  const unused = (): never => {
    throw new Error('not expected here');
  };
  const runtime = new AgentRuntime({
    agent: new GeneralChatAgent({ gate: () => ({ decision: 'run' }) }),
    executors: {
      call_llm: unused,
      call_tool: unused,
      call_tools_batch: unused,
      compress_context: unused,
      request_human_approve: unused,
      request_human_prompt: unused,
      request_human_select: unused,
      request_human_budget: unused,
      resolve_aborted_tools: unused,
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

describe('AgentRuntime.step', () => {
  it('carries out what the brain decides, step by step, and commits each', async () => {
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

  it('ends a run whose executor throws, and tells only what was meant for a reader', async () => {
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

  it('keeps the code and words of an error that was meant for a reader', async () => {
    const { runtime } = engine({
      call_llm: () => {
        throw new ToolyardError({ code: 'network', message: 'no route' });
      },
    });
    expect((await toTheEnd(runtime)).context).toMatchObject({
      ending: { error: { code: 'network', message: 'no route' } },
    });
  });

  it('ends even if settling the open calls fails', async () => {
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

  it('looks before each step whether somebody wants it to end', async () => {
    const { runtime, events } = engine({}, () => ({ status: 'cancelled' }));
    expect((await toTheEnd(runtime)).state.status).toBe('cancelled');
    expect(events).toEqual([{ type: 'step_started', instruction: 'finish' }]);
  });
});
