import type { Client } from '@modelcontextprotocol/client';
import { LOG_LEVEL_META_KEY } from '@modelcontextprotocol/client';
import type { JsonObject } from '@toolyard/protocol';
import type { LogEntry, LogLevel } from '../types.ts';

/** What a modern server wants to see with every request it may log about. */
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

/** Takes what a server logs about itself into the log of its connection. */
export function collectServerLog(client: Client, note: (level: LogEntry['level'], text: string) => void): void {
  client.setNotificationHandler('notifications/message', ({ params: { level, logger, data } }) => {
    const text = typeof data === 'string' ? data : (JSON.stringify(data) ?? '');
    note(LEVELS[level], logger === undefined ? text : `${logger}: ${text}`);
  });
}
