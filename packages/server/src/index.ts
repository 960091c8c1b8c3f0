/**
 * The Toolyard server: durable runs, the HTTP API, live streams, and the page.
 * @module
 */
export { startServer } from './start-server.ts';
export type { RunningServer } from './start-server.ts';
export type { ServerOverrides } from './start/overrides.ts';
export { describeLockHolder } from './find-toolyard.ts';
export type { ServerOptions } from './config/server-options.ts';
