import type { McpTransport } from '@toolyard/protocol';
import type { ServerLimits } from './snippet-limits.ts';

/** A server that is not stored yet. */
export type ServerDraft = { id: string; transport: McpTransport } & ServerLimits;
