export const subAgents = {
  list: 'Sub-agents',
  state_working: 'Working',
  state_waiting: 'Needs your answer',
  state_done: 'Completed',
  state_failed: 'Failed',
  failedBecause: 'Failed: {reason}',
  state_stopped: 'Cancelled',
  of: 'Sub-agent of',
} as const;
