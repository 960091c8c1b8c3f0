import type { EntryApprovals } from '../entry-approvals.ts';

/** Every entry of `mcp.json` may start. */
export const EVERYTHING_APPROVED: EntryApprovals = {
  unapproved: () => Promise.resolve(new Map()),
  approve: () => Promise.resolve(),
  withdraw: () => Promise.resolve(),
  approved: () => Promise.resolve([]),
};
