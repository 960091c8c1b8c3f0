import { defined, ToolyardError } from '@toolyard/protocol';
import type { ChatFlags } from '../flags.ts';

/** Which server a chat talks with, and what is asked there; null where the chat runs a loop of its own. */
export type ServerChat = { server?: string; question?: string };

/**
 * Reads the flags that decide between the two kinds of chat. Throws ToolyardError `bad_config` for flags that do not
 * go together.
 */
export function serverChatFrom(question: string | undefined, flags: ChatFlags): ServerChat | null {
  if (flags.server === undefined && flags.conversation === undefined) {
    const stray = [
      ['--token', flags.token],
      ['--data-dir', flags.dataDir],
      ['--wait', flags.wait],
    ].find(([, value]) => value !== undefined);
    if (stray) throw bad(`${String(stray[0])} goes with --server.`, 'toolyard chat --server "question"');
    return null;
  }
  const own = [
    ['--provider', flags.provider !== undefined],
    ['--wire', flags.wire !== undefined],
    ['--base-url', flags.baseUrl !== undefined],
    ['--api-key', flags.apiKey !== undefined],
    ['--mcp', flags.mcp.length > 0],
    ['--mcp-config', flags.mcpConfig !== undefined],
    ['--no-date', !flags.date],
  ].find(([, given]) => given);
  if (own) {
    throw bad(
      `${String(own[0])} goes with a chat of its own: a server has its own models and MCP servers.`,
      'Set them up in its page, or in mcp.json and config.json of its data folder.',
    );
  }
  if (typeof flags.server !== 'string') return question === undefined ? {} : { question };
  if (looksLikeAddress(flags.server)) {
    return { server: flags.server, ...defined({ question }) };
  }
  if (question === undefined) return { question: flags.server };
  throw bad(`--server ${flags.server}: this is not an address.`, 'It looks like http://127.0.0.1:8710.');
}

/** What stands behind `--server` may as well be the question. */
function looksLikeAddress(text: string): boolean {
  return /^https?:\/\/\S+$/i.test(text) || /^(\[[0-9a-f:]+\]|[\w.-]+):\d+\/?$/i.test(text) || text === 'localhost';
}

function bad(message: string, hint: string): ToolyardError {
  return new ToolyardError({ code: 'bad_config', message, hint });
}
