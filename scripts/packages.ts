/** The published packages, each after those it imports. */
export const PUBLISHED = [
  'packages/protocol',
  'packages/guarded-fetch',
  'packages/storage',
  'packages/model-runtime',
  'packages/mcp-host',
  'packages/agent-runtime',
  'packages/agent-host',
  'servers/date',
  'packages/web',
  'packages/server',
  'packages/cli',
] as const;
