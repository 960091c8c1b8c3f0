import type { McpTransport } from '@toolyard/protocol';

/** A server that is not saved yet. */
export type ServerDraft = { id: string; transport: McpTransport };
