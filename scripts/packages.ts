/** The published packages that are compiled, each after those it imports. */
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

/** The page: published as it is built, see `build-page.ts`. */
export const PAGE = 'packages/web';
