import { describeEverything } from './everything.ts';

// Over stdio: `packages/mcp-host/src/reference-server.test.ts`; the other transports: `everything.long.test.ts`.
describeEverything('HTTP+SSE');
