import { say } from '@toolyard/protocol';
import { readUrl } from '../values/read-url.ts';
import { createConfigError } from '../values/config-error.ts';

const KINDS = {
  http: { protocols: ['http:', 'https:'], says: say`an http or https URL`, example: 'http://localhost:3000/mcp' },
  websocket: { protocols: ['ws:', 'wss:'], says: say`a ws or wss URL`, example: 'ws://localhost:3000/mcp' },
};

/**
 * Reads the URL of a server.
 *
 * @throws ToolyardError `bad_config` for another kind of URL; the URL, which may contain a key, is not repeated
 */
export function webAddress(kind: keyof typeof KINDS, text: string, serverId: string): URL {
  const { protocols, says, example } = KINDS[kind];
  const url = readUrl(text);
  if (url !== null && protocols.includes(url.protocol)) return url;
  throw createConfigError(
    say`The URL of the server "${serverId}" is not ${says}.`,
    say`Use a complete URL, for example ${example}.`,
  );
}
