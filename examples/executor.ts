// The loop with executors of your own. The brain decides what is next, the executors do it, and the journal records it.
// Here the "model" is a script and the tool adds numbers: no server of either kind is needed.
import type { Executors, PendingCall, RunPoint } from '@toolyard/agent-runtime';
import { AgentRuntime, GeneralChatAgent, initialState } from '@toolyard/agent-runtime';
import { DEFAULT_LIMITS } from '@toolyard/protocol';

const results: number[] = [];
const call: PendingCall = {
  callId: 'call-1',
  name: 'add',
  tool: { serverId: 'math', name: 'add' },
  arguments: { a: 2, b: 3 },
  decision: 'undecided',
};
const throwUnexpectedCall = (): never => {
  throw new Error('This run does not need it.');
};

const executors: Executors = {
  call_llm: ({ toolChoice }, state) => {
    const isFirst = state.turns === 0;
    if (!isFirst) console.log(`The sum is ${results.join()}.`);
    const next = { ...state, turns: state.turns + 1, pending: isFirst ? [call] : [] };
    return { state: next, context: { phase: 'llm_result', hasText: !isFirst, toolChoice, filtered: false } };
  },
  call_tool: ({ call: { arguments: args } }, state) => {
    results.push(Number(args['a']) + Number(args['b']));
    return { state: { ...state, pending: [] }, context: { phase: 'tool_result' } };
  },
  finish: ({ ending }, state) => ({ state: { ...state, status: ending.status }, context: { phase: 'ending', ending } }),
  call_tools_batch: throwUnexpectedCall,
  call_member: throwUnexpectedCall,
  compress_context: throwUnexpectedCall,
  exec_sub_agent: throwUnexpectedCall,
  exec_sub_agents: throwUnexpectedCall,
  pause_group: throwUnexpectedCall,
  request_human_approve: throwUnexpectedCall,
  request_human_budget: throwUnexpectedCall,
  request_human_prompt: throwUnexpectedCall,
  request_human_select: throwUnexpectedCall,
  resolve_aborted_tools: throwUnexpectedCall,
};

const runtime = new AgentRuntime({
  agent: new GeneralChatAgent({ gate: () => ({ decision: 'run' }) }),
  executors,
  journal: {
    attempt: 1,
    beginStep: () => undefined,
    append: (event) => event.type === 'step_started' && console.log(event.instruction),
    commit: () => undefined,
  },
});
const state = initialState({ runId: 'run', conversationId: 'chat', startedAt: Date.now(), limits: DEFAULT_LIMITS });
let point: RunPoint = { state, context: { phase: 'user_input' } };
while (point.state.status === 'running') point = await runtime.step(point.state, point.context);
console.log(point.state.status);
