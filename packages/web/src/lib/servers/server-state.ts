import type { McpServerView } from '@toolyard/protocol';

/** True where nothing comes back by itself. */
export function doesNotWork({ state }: Pick<McpServerView, 'state'>): boolean {
  return state === 'failed' || state === 'needs_sign_in';
}

/** True while a connection is being made, the first one or a lost one anew. */
export function isConnecting({ state }: Pick<McpServerView, 'state'>): boolean {
  return state === 'connecting' || state === 'reconnecting';
}
