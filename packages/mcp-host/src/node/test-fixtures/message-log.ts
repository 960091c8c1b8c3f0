import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isJsonObject, parseJson, type JsonObject } from '@toolyard/protocol';
import { LOG_FILE_VARIABLE } from '@toolyard/testing';

export type MessageLog = {
  /** The environment with which a scripted server writes here. */
  env: Record<string, string>;
  /** The messages with this method that servers received, oldest first. */
  received: (method: string) => JsonObject[];
  remove: () => void;
};

/** A file where scripted stdio servers log what they receive, across restarts. */
export function createMessageLog(): MessageLog {
  const folder = mkdtempSync(join(tmpdir(), 'mcp-host-'));
  const file = join(folder, 'messages');
  return {
    env: { [LOG_FILE_VARIABLE]: file },
    received(method) {
      const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
      return lines
        .map((line) => parseJson(line))
        .flatMap((parsed) => (parsed.ok && isJsonObject(parsed.value) ? [parsed.value] : []))
        .filter((message) => message['method'] === method);
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
