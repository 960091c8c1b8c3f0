import type { Client } from '@modelcontextprotocol/client';
import { LOG_LEVEL_META_KEY } from '@modelcontextprotocol/client';
import type { JsonObject } from '@toolyard/protocol';
import type { LogEntry, LogLevel } from '../types.ts';
import { toPreview } from './wire-log.ts';

/** The log level that modern servers expect in the `_meta` of every request. */
export function logLevelMeta(level: LogLevel | undefined): JsonObject {
  return level === undefined ? {} : { _meta: { [LOG_LEVEL_META_KEY]: level } };
}

const LEVELS: Record<LogLevel, LogEntry['level']> = {
  debug: 'info',
  info: 'info',
  notice: 'info',
  warning: 'warning',
  error: 'error',
  critical: 'error',
  alert: 'error',
  emergency: 'error',
};

/** Adds the log messages of a server to the log of its connection. */
export function collectServerLog(client: Client, note: (level: LogEntry['level'], text: string) => void): void {
  client.setNotificationHandler('notifications/message', ({ params: { level, logger, data } }) => {
    const text = typeof data === 'string' ? data : toPreview(data);
    note(LEVELS[level], logger === undefined ? text : `${logger}: ${text}`);
  });
}
