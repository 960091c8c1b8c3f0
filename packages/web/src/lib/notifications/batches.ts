import type { AnswerInterrupts, ApprovalAnswer, ApprovalInterrupt, StoredInterrupt } from '@toolyard/protocol';
import { defined, formatToolReference, isOnceOnly } from '@toolyard/protocol';

/** Calls of one tool that can be answered together. */
export type Batch = { key: string; tool: ApprovalInterrupt['tool']; items: readonly BatchItem[] };
type BatchItem = { id: string; conversationId: string; interrupt: ApprovalInterrupt };

/**
 * Tools with several calls to approve. Calls flagged as dangerous or copied from data, and tools that changed since their approval, are
 * never in a batch: each is decided on its own.
 */
export function toBatches(open: readonly StoredInterrupt[]): Batch[] {
  const batches = new Map<string, BatchItem[]>();
  for (const { id, conversationId, interrupt } of open) {
    if (interrupt.kind !== 'approval' || interrupt.changed !== undefined) continue;
    const { danger, textCall } = interrupt;
    if (danger !== undefined || isOnceOnly({ ...defined({ textCall }) })) continue;
    const key = formatToolReference(interrupt.tool);
    batches.set(key, [...(batches.get(key) ?? []), { id, conversationId, interrupt }]);
  }
  return [...batches].flatMap(([key, items]) => {
    const [first] = items;
    return first === undefined || items.length < 2 ? [] : [{ key, tool: first.interrupt.tool, items }];
  });
}

/** The same answer to all calls of a batch, each bound to what was shown of it. */
export function toAnswers({ items }: Batch, answer: ApprovalAnswer): AnswerInterrupts {
  return {
    answers: items.map(({ id, interrupt: { arguments: shown, definition } }) => ({
      id,
      answer,
      shown: { arguments: shown, ...defined({ definition }) },
    })),
  };
}
