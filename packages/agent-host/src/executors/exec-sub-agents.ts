import type { Message } from '@toolyard/protocol';
import { textOf } from '@toolyard/protocol';
import type { AgentState, PendingCall, RunnableCall, RunPoint } from '@toolyard/agent-runtime';
import {
  ASSUMED_WINDOW,
  openChildrenOf,
  openInterrupts,
  plainSummary,
  planSummary,
  withModelCall,
} from '@toolyard/agent-runtime';
import type { RunHost } from '../run-host.ts';
import { NO_SUB_AGENTS } from '../functions/no-user-error.ts';
import { noticeUnpriced } from './notice-unpriced.ts';
import { summarize } from './summarize.ts';

/**
 * Starts the child runs of calls that delegate tasks, and parks the run until all are over. No process holds it
 * meanwhile: the commit that ends a child puts an item into its inbox.
 */
export function createExecSubAgents(
  host: RunHost,
): (instruction: { calls: PendingCall[] }, state: AgentState) => Promise<RunPoint> {
  return async ({ calls }, state) => {
    const summarized = await summaryFor(host, calls, state);
    const pending: PendingCall[] = [];
    for (const call of calls) pending.push(isNew(call) ? await started(host, call, summarized) : call);
    const next: AgentState = { ...summarized.state, pending };
    const isAsked = pending.some(({ functionInterrupt: asks }) => asks && !asks.isOpen);
    const waits = openChildrenOf(next).length > 0 || openInterrupts(next).length > 0;
    if (isAsked || !waits) return { state: next, context: { phase: 'human_response' } };
    host.journal.append({ type: 'run_parked' });
    return { state: { ...next, status: 'parked' }, context: { phase: 'waiting' } };
  };
}

function isNew(call: PendingCall): call is RunnableCall {
  return call.functionInterrupt?.kind === 'delegation' && !call.functionInterrupt.isOpen;
}

type Summarized = { state: AgentState; summary: string | null };

async function started(host: RunHost, call: RunnableCall, { state, summary }: Summarized): Promise<PendingCall> {
  const { functionInterrupt: asks, answeredInterrupts: asked = [], callId } = call;
  const { subAgents, conversation, tools } = host;
  if (asks?.kind !== 'delegation') return call;
  const before = asked.reduce((sum, each) => sum + (each.kind === 'delegation' ? each.tasks.length : 0), 0);
  const leafId = messagesBefore(conversation.messages(), callId).at(-1)?.id ?? null;
  const callMessageId = conversation.messages().find((message) => makesCall(message, callId))?.id ?? null;
  const children = subAgents
    ? await subAgents.start(asks.tasks, { callId, before, state, tools: tools.tools(), leafId, callMessageId, summary })
    : asks.tasks.map(({ task, title = task }) => ({ title, error: NO_SUB_AGENTS }));
  const isStarted = children.some((child) => 'runId' in child);
  return {
    ...call,
    functionInterrupt: {
      ...asks,
      isOpen: true,
      children,
      ...(isStarted ? {} : { answer: { decision: 'over' as const } }),
    },
  };
}

function makesCall(message: Message, callId: string): boolean {
  return (
    message.role === 'assistant' && message.parts.some((part) => part.type === 'tool_call' && part.callId === callId)
  );
}

/** The conversation up to the answer that makes this call, without the instructions, which belong to the run. */
function messagesBefore(messages: readonly Message[], callId: string): readonly Message[] {
  const at = messages.findLastIndex((message) => makesCall(message, callId));
  return messages.slice(0, Math.max(at, 0)).filter(({ id }) => !id.endsWith('.instructions'));
}

/** One summary for all tasks of the step that need it. */
async function summaryFor(host: RunHost, calls: readonly PendingCall[], state: AgentState): Promise<Summarized> {
  const isNeeded = ({ functionInterrupt: asks }: PendingCall): boolean =>
    asks?.kind === 'delegation' && !asks.isOpen && asks.tasks.some(({ context }) => context === 'summary');
  const call = calls.find(isNeeded);
  const messages = call ? messagesBefore(host.conversation.messages(), call.callId) : [];
  const plan = planSummary(messages);
  if (!plan || host.signal.aborted) return { state, summary: null };
  const [only, ...others] = messages.slice(plan.from);
  // A single message is passed on as it is.
  if (plan.before === null && only && others.length === 0) return { state, summary: textOf(only) };
  const window = host.contextSources().window ?? ASSUMED_WINDOW;
  const { text, wasRequested, usage, cost } = await summarize(host, state.limits, { messages, plan, window });
  if (wasRequested && !host.signal.aborted) noticeUnpriced(host, state, cost);
  return {
    state: wasRequested ? withModelCall(state, usage, cost) : state,
    summary: text ?? plainSummary(messages, plan, window),
  };
}
