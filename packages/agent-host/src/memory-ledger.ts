import type { ToolLedger } from '@toolyard/protocol';

/** The ledger of a run that dies with its process: there is nobody left to ask what became of a call. */
export const memoryLedger: ToolLedger = {
  find: () => undefined,
  plan() {},
  sent() {},
  settle() {},
  unsend() {},
};
