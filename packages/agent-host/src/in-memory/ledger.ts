import type { ToolLedger } from '@toolyard/protocol';

/** The ledger of a run in memory, which needs no entries: after a crash nothing remains that could ask about a call. */
export const memoryLedger: ToolLedger = {
  find: () => undefined,
  plan() {},
  sent() {},
  task() {},
  settle() {},
  unsend() {},
};
