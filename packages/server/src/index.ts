/**
 * The Toolyard server: durable runs, the HTTP API, live streams, and the page.
 * @module
 */
export { startServer } from './start-server.ts';
export type { RunningServer, ServerOverrides } from './start-server.ts';
export { describeLockHolder } from './find-toolyard.ts';
export type { ServerOptions } from './config/server-options.ts';
