/**
 * The Toolyard server: durable runs, the HTTP API, live streams, and the page.
 * @module
 */
export { startServer } from './start-server.ts';
export type { RunningServer, Surroundings } from './start-server.ts';
export { namedHolder } from './who-is-there.ts';
export type { ServerOptions } from './config/server-options.ts';
