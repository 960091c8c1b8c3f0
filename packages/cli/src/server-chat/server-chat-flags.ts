import { defined } from '@toolyard/protocol';
import type { ChatFlags } from '../flags.ts';
import { createConfigError } from '../errors.ts';

/** Server and user message of `chat --server`. */
export type ServerChat = { server?: string; message?: string };

/**
 * The server and user message of `chat --server`; null for a chat that runs in this process.
 *
 * @throws ToolyardError `bad_config` for flags that cannot be combined
 */
export function serverChatFrom(message: string | undefined, flags: ChatFlags): ServerChat | null {
  if (flags.agent !== undefined && flags.conversation !== undefined) {
    throw createConfigError(
      '--agent cannot be combined with --conversation: the conversation has its agent.',
      'Start a new conversation with the agent.',
    );
  }
  if (flags.group !== undefined && (flags.conversation !== undefined || flags.agent !== undefined)) {
    throw createConfigError(
      '--group cannot be combined with --conversation or --agent: a conversation has either an agent or a group.',
      'Start a new conversation with the group.',
    );
  }
  const onServer = [flags.server, flags.conversation, flags.agent, flags.group].some((flag) => flag !== undefined);
  if (!onServer) {
    const serverFlag = [
      ['--token', flags.token],
      ['--data-dir', flags.dataDir],
      ['--reconnect-timeout', flags.reconnectTimeout],
    ].find(([, value]) => value !== undefined);
    if (serverFlag)
      throw createConfigError(`${String(serverFlag[0])} requires --server.`, 'toolyard chat --server "question"');
    return null;
  }
  const localFlag = [
    ['--provider', flags.provider !== undefined],
    ['--api-format', flags.apiFormat !== undefined],
    ['--base-url', flags.baseUrl !== undefined],
    ['--api-key', flags.apiKey !== undefined],
    ['--mcp', flags.mcp.length > 0],
    ['--mcp-config', flags.mcpConfig !== undefined],
    ['--no-date', !flags.date],
  ].find(([, isGiven]) => isGiven);
  if (localFlag) {
    throw createConfigError(
      `${String(localFlag[0])} cannot be combined with --server, --agent or --group: the server has its own models and MCP servers.`,
      'Configure them in its web UI, or in config.json and mcp.json of its data folder.',
    );
  }
  if (typeof flags.server !== 'string') return message === undefined ? {} : { message };
  if (isServerUrl(flags.server)) {
    return { server: flags.server, ...defined({ message }) };
  }
  if (message === undefined) return { message: flags.server };
  throw createConfigError(`--server ${flags.server}: invalid URL.`, 'Use a URL such as http://127.0.0.1:8710.');
}

/** `--server` takes an optional URL, so the next argument may be the user message instead. */
function isServerUrl(text: string): boolean {
  return /^https?:\/\/\S+$/i.test(text) || /^(\[[0-9a-f:]+\]|[\w.-]+):\d+\/?$/i.test(text) || text === 'localhost';
}
