import { describeEverything } from './everything.ts';

// Over stdio and Streamable HTTP: `packages/mcp-host/src/connection/reference-server.test.ts`, and `everything.long.test.ts`.
describeEverything('HTTP+SSE');
