import type { mcp } from './mcp.ts';
import type { questions } from './questions.ts';

/** Texts that come with the part of the page that shows them, by namespace: see `i18n.need`. */
export type LateMessages = { mcp: typeof mcp; questions: typeof questions };
