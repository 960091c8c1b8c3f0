import type { McpServerView } from '@toolyard/protocol';

/** True if the server does not recover by itself. */
export function doesNotWork({ state }: Pick<McpServerView, 'state'>): boolean {
  return state === 'failed' || state === 'needs_sign_in';
}

/** True while the server connects or reconnects. */
export function isConnecting({ state }: Pick<McpServerView, 'state'>): boolean {
  return state === 'connecting' || state === 'reconnecting';
}
