export const subAgents = {
  list: 'Sub-agents',
  running: 'Working',
  asks: 'Needs your answer',
  done: 'Completed',
  failed: 'Failed',
  failedBecause: 'Failed: {reason}',
  cancelled: 'Cancelled',
  of: 'Sub-agent of',
} as const;
