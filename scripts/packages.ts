/** The published, compiled packages in order of their dependencies. */
export const PUBLISHED = [
  'packages/protocol',
  'packages/guarded-fetch',
  'packages/storage',
  'packages/model-runtime',
  'packages/mcp-host',
  'packages/agent-runtime',
  'packages/agent-host',
  'servers/date',
  'packages/server',
  'packages/cli',
] as const;

/** The page, which is published as built by `build-page.ts`. */
export const PAGE = 'packages/web';
