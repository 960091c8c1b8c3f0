import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { createDateServer } from './server.ts';
import type { DateOptions } from './tool.ts';

/** A server that is running. */
export type RunningServer = {
  /** Ends it; safe to call twice. */
  close(): Promise<void>;
};

/**
 * Serves this process's stdin and stdout, in both eras of MCP. It stops by itself when stdin ends; the process then
 * exits unless something else keeps it.
 */
export function serveDateOverStdio(options: DateOptions = {}): RunningServer {
  const handle = serveStdio(() => createDateServer(options), { onerror: report });
  return { close: () => handle.close() };
}

/** Standard error is the log of a stdio server: stdout belongs to the protocol. */
function report(error: Error): void {
  process.stderr.write(`toolyard-server-date: ${error.message}\n`);
}
