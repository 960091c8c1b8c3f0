import type { mcp } from './mcp.ts';
import type { questions } from './questions.ts';
import type { settings } from './settings.ts';

/** Texts that come with the part of the page that shows them, by namespace: see `i18n.need`. */
export type LateMessages = { mcp: typeof mcp; settings: typeof settings; questions: typeof questions };
