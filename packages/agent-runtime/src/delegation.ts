import type { AgentState, PendingCall } from './state.ts';

/** The child runs that a call waits for. */
function openChildren({ functionInterrupt: asks }: PendingCall): string[] {
  if (asks?.kind !== 'delegation' || asks.answer) return [];
  return (asks.children ?? []).flatMap((child) => ('runId' in child && !child.over ? [child.runId] : []));
}

/** The child runs that a parked run waits for. */
export function openChildrenOf({ pending }: Pick<AgentState, 'pending'>): string[] {
  return pending.flatMap(openChildren);
}

/** The call after these child runs have ended. When it waits for none any more, it is made again. */
export function withChildrenOver(call: PendingCall, over: ReadonlySet<string>): PendingCall {
  if (call.problem || call.functionInterrupt?.kind !== 'delegation' || call.functionInterrupt.answer) return call;
  const children = (call.functionInterrupt.children ?? []).map((child) =>
    'runId' in child && over.has(child.runId) ? { ...child, over: true as const } : child,
  );
  const after: PendingCall = { ...call, functionInterrupt: { ...call.functionInterrupt, children } };
  return openChildren(after).length > 0
    ? after
    : { ...call, functionInterrupt: { ...call.functionInterrupt, children, answer: { decision: 'over' } } };
}
