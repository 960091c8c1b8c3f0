import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgsStringToArgv } from 'string-argv';
import type { ServerConfig } from '@toolyard/mcp-host';
import { readMcpConfig } from '@toolyard/mcp-host/node';
import { ToolyardError } from '@toolyard/protocol';
import type { CommandIo } from './command-io.ts';
import type { ConnectionFlags } from './flags.ts';
import { sanitize } from './sanitize.ts';

/**
 * The servers a command works with: the bundled one, those of the file, those of the flags. What is wrong with one of
 * the file is told, and harms no other. Throws ToolyardError where the file as a whole, or a flag, cannot be read.
 */
export function serversFrom(
  flags: Pick<ConnectionFlags, 'mcp' | 'mcpConfig' | 'date'>,
  { env, cwd, stderr }: Pick<CommandIo, 'env' | 'cwd' | 'stderr'>,
): ServerConfig[] {
  const servers: ServerConfig[] = flags.date ? [dateServer()] : [];
  const listed = flags.mcpConfig === undefined ? [] : readMcpConfig(resolve(cwd, flags.mcpConfig), env);
  for (const entry of listed) {
    if (!entry.switches.enabled) continue;
    if ('config' in entry) servers.push(entry.config);
    else stderr.write(`toolyard: ${sanitize(entry.fault.message)} The server is left out.\n`);
  }
  for (const text of flags.mcp) servers.push(serverFromFlag(text));
  return uniqueIds(servers);
}

/** The date server that ships with Toolyard, as a child over stdio: on by default, and built in. */
export function dateServer(): ServerConfig {
  const path = fileURLToPath(import.meta.resolve('@toolyard/server-date/bin'));
  return { id: 'date', transport: { type: 'stdio', command: process.execPath, args: [path] }, builtIn: true };
}

/**
 * Reads `--mcp`: an address, or a command line with quotes as in a shell; `name=` before it names the server.
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
    throw new ToolyardError({
      code: 'bad_config',
      message: `--mcp ${target}: only http, https, ws and wss addresses, or a command, are understood.`,
    });
  }
  const [command, ...args] = parseArgsStringToArgv(target);
  if (command === undefined) {
    throw new ToolyardError({
      code: 'bad_config',
      message: '--mcp is empty.',
      hint: 'Give a command such as "npx -y some-mcp-server", or the address of a server.',
    });
  }
  return { id: name ?? idFrom(mainWord(command, args)), transport: { type: 'stdio', command, args } };
}

function parseUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url) throw new ToolyardError({ code: 'bad_config', message: `--mcp ${text}: this is not an address.` });
  return url;
}

const LAUNCHERS = /(^|[\\/])(npx|npm|pnpm|yarn|bunx?|deno|node|uvx?|python[0-9.]*|sh|bash|docker|env)(\.exe|\.cmd)?$/i;

/** The word of a command line that tells what it runs: behind npx, node and their like the first word of its own. */
function mainWord(command: string, args: readonly string[]): string {
  if (!LAUNCHERS.test(command)) return command;
  const word = args.find((arg) => !arg.startsWith('-') && !['exec', 'run', 'x', 'dlx'].includes(arg)) ?? command;
  // A whole script, as behind `sh -c`: its first word.
  return word.trim().split(/\s/)[0] ?? command;
}

/** Names that say nothing of what a program is: then its folder does. */
const NAMELESS = /^(index|main|server|start|cli|bin|dist|build|src|lib|out)$/;

/** A short name for what `text` names: a package, a path or a host. */
function idFrom(text: string): string {
  const steps = text
    .replace(/(?<=.)@[^@/\\]*$/, '')
    .split(/[\\/]/)
    .filter((step) => step !== '' && step !== '.' && step !== '..');
  const last = (steps.at(-1) ?? '').replace(/\.([cm]?[jt]s|py|exe)$/, '');
  const telling = NAMELESS.test(last)
    ? (steps.findLast((step, at) => at < steps.length - 1 && !NAMELESS.test(step)) ?? last)
    : last;
  return telling.replace(/[^A-Za-z0-9_-]+/g, '-').replace(/^-+|-+$/g, '') || 'server';
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
