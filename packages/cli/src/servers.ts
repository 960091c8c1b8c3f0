import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgsStringToArgv } from 'string-argv';
import type { ServerConfig } from '@toolyard/mcp-host';
import { readMcpConfig } from '@toolyard/mcp-host/node';
import type { CommandIo } from './command-io.ts';
import type { ConnectionFlags } from './flags.ts';
import { sanitize } from './sanitize.ts';
import { createConfigError } from './errors.ts';

/**
 * The MCP servers of a command: the bundled date server, those of `--mcp-config` and those of `--mcp`. An invalid entry
 * of the file is printed and skipped.
 *
 * @throws ToolyardError for a file or flag that cannot be parsed
 */
export function serversFrom(
  flags: Pick<ConnectionFlags, 'mcp' | 'mcpConfig' | 'date'>,
  { env, cwd, stderr }: Pick<CommandIo, 'env' | 'cwd' | 'stderr'>,
): ServerConfig[] {
  const servers: ServerConfig[] = flags.date ? [dateServer()] : [];
  const listed = flags.mcpConfig === undefined ? [] : readMcpConfig(resolve(cwd, flags.mcpConfig), env);
  for (const entry of listed) {
    if (!entry.settings.enabled) continue;
    if ('config' in entry) servers.push(entry.config);
    else stderr.write(`toolyard: ${sanitize(entry.fault.message)} This server is skipped.\n`);
  }
  for (const text of flags.mcp) servers.push(serverFromFlag(text));
  return uniqueIds(servers);
}

/** The bundled date server, over stdio. */
export function dateServer(): ServerConfig {
  const path = fileURLToPath(import.meta.resolve('@toolyard/server-date/bin'));
  return { id: 'date', transport: { type: 'stdio', command: process.execPath, args: [path] }, builtIn: true };
}

/**
 * Parses `--mcp`: a URL, or a command line with shell quoting, with an optional `name=` prefix.
 *
 * @example serverFromFlag('files=npx -y @modelcontextprotocol/server-filesystem "/my documents"')
 */
export function serverFromFlag(text: string): ServerConfig {
  const named = /^([A-Za-z0-9_-]+)=(.*)$/s.exec(text.trim());
  const target = (named?.[2] ?? text).trim();
  const name = named?.[1];
  if (/^(https?|wss?):\/\//i.test(target)) {
    const url = parseUrl(target);
    const type = url.protocol.startsWith('ws') ? 'websocket' : 'http';
    return { id: name ?? idFrom(url.host), transport: { type, url: url.href } };
  }
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(target)) {
    throw createConfigError(`--mcp ${target}: unsupported URL scheme. Use http, https, ws or wss, or a command.`);
  }
  const [command, ...args] = parseArgsStringToArgv(target);
  if (command === undefined) {
    throw createConfigError(
      '--mcp is empty.',
      'Pass a command such as "npx -y some-mcp-server", or the URL of a server.',
    );
  }
  return { id: name ?? idFrom(mainWord(command, args)), transport: { type: 'stdio', command, args } };
}

function parseUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url) throw createConfigError(`--mcp ${text}: invalid URL.`);
  return url;
}

const LAUNCHERS = /(^|[\\/])(npx|npm|pnpm|yarn|bunx?|deno|node|uvx?|python[0-9.]*|sh|bash|docker|env)(\.exe|\.cmd)?$/i;

/** The word that names the server: after a launcher or interpreter, its first argument that is no option or subcommand. */
function mainWord(command: string, args: readonly string[]): string {
  if (!LAUNCHERS.test(command)) return command;
  const word = args.find((arg) => !arg.startsWith('-') && !['exec', 'run', 'x', 'dlx'].includes(arg)) ?? command;
  // `sh -c` takes a whole script as one argument.
  return word.trim().split(/\s/)[0] ?? command;
}

/** File names that do not identify a program; the folder name is used instead. */
const GENERIC_NAME = /^(index|main|server|start|cli|bin|dist|build|src|lib|out)$/;

/** A server ID from a package name, path or host. */
function idFrom(text: string): string {
  const steps = text
    .replace(/(?<=.)@[^@/\\]*$/, '')
    .split(/[\\/]/)
    .filter((step) => step !== '' && step !== '.' && step !== '..');
  const last = (steps.at(-1) ?? '').replace(/\.([cm]?[jt]s|py|exe)$/, '');
  const name = GENERIC_NAME.test(last)
    ? (steps.findLast((step, at) => at < steps.length - 1 && !GENERIC_NAME.test(step)) ?? last)
    : last;
  return name.replace(/[^A-Za-z0-9_-]+/g, '-').replace(/^-+|-+$/g, '') || 'server';
}

function uniqueIds(servers: readonly ServerConfig[]): ServerConfig[] {
  const used = new Set<string>();
  return servers.map((server) => {
    let id = server.id;
    for (let n = 2; used.has(id); n++) id = `${server.id}-${n}`;
    used.add(id);
    return id === server.id ? server : { ...server, id };
  });
}
