/**
 * The MCP servers of a browser without the rest of the page, for tests in a real browser: they hold what no screen
 * shows yet. See e2e/support/tab-page.ts, which builds and serves it.
 */
import { mcpResourceStore, mcpStore } from '../mcp-store.svelte.ts';

Object.assign(globalThis, { mcpStore, mcpResourceStore });
