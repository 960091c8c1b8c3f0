import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { createDateServer } from './server.ts';
import type { DateOptions } from './tool.ts';

/** A running server. */
export type RunningServer = {
  /** Closes it; idempotent. */
  close(): Promise<void>;
};

/**
 * Serves stdin and stdout of this process, in both eras of MCP. Stops when stdin ends; the process then exits unless
 * something else keeps it running.
 */
export function serveDateOverStdio(options: DateOptions = {}): RunningServer {
  const handle = serveStdio(() => createDateServer(options), { onerror: report });
  return { close: () => handle.close() };
}

/** A stdio server logs to standard error, because stdout carries the protocol. */
function report(error: Error): void {
  process.stderr.write(`toolyard-server-date: ${error.message}\n`);
}
