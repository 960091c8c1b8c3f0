/**
 * An MCP server with one tool, `get-date`, over stdio and Streamable HTTP.
 * @module
 */
export { createDateServer } from './server.ts';
export type { DateOptions } from './tool.ts';
export { serveDateOverStdio } from './stdio.ts';
export type { RunningServer } from './stdio.ts';
export { serveDateOverHttp } from './http.ts';
export type { HttpServer } from './http.ts';
export { main as dateServerCommand } from './main.ts';
