import { ToolyardError, say } from '@toolyard/protocol';
import { readUrl } from '../values/read-url.ts';

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
  throw new ToolyardError({
    code: 'bad_config',
    message: say`The URL of the server "${serverId}" is not ${says}.`,
    hint: say`Use a complete URL, for example ${example}.`,
  });
}
