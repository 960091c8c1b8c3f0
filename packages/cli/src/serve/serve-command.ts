import { ASK_USER_TOOLS, TOOL_SEARCH } from '@toolyard/agent-host';
import { COMPUTE_TOOLS } from '@toolyard/agent-host/node';
import { defined } from '@toolyard/protocol';
import type { RunningServer } from '@toolyard/server';
import type { CommandIo } from '../command-io.ts';
import { onStopSignal } from '../chat/stop-signals.ts';
import { serversFrom } from '../servers.ts';
import { dataDirFrom } from '../server/data-dir.ts';
import { EXIT } from '../exit.ts';
import { openInBrowser } from '../open/open-in-browser.ts';
import { sanitize } from '../sanitize.ts';
import { ownCommand, shellWord } from '../own-command.ts';
import { exitAfterTimeout } from './exit-after-timeout.ts';
import type { GivenFlags } from './read-serve-flags.ts';
import { readServeFlags } from './read-serve-flags.ts';
import { createConfigError } from '../errors.ts';

/**
 * `toolyard serve`: runs the server in this process until a stop signal. Returns the exit code.
 *
 * @throws ToolyardError if the server cannot start
 */
export async function serveCommand(io: CommandIo, flags: GivenFlags): Promise<number> {
  const { env } = io;
  requireNode24();
  const log = (line: string): void => void io.stderr.write(`toolyard: ${sanitize(line)}\n`);
  const { open, date, titles, mcp, mcpConfig, uiSettingsFile, ...serveValues } = readServeFlags({
    flags,
    env,
    cwd: io.cwd,
    warn: log,
  });
  const settings = {
    ...serveValues,
    dataDir: dataDirFrom(serveValues.dataDir, io),
    uiSettings: { ...uiSettingsFile, ...serveValues.uiSettings },
  };
  const { role = 'all', databaseUrl, token } = settings;
  const bundled = serversFrom({ mcp: [], date: date ?? true }, io);
  const added = serversFrom({ mcp: [...(mcp ?? [])], date: false, ...defined({ mcpConfig }) }, io);
  // Imported here because it is slow to load and other commands do not need it.
  const { startServer } = await import('@toolyard/server');
  let stop = (): void => {};
  const stopped = new Promise<void>((resolve) => (stop = resolve));
  let server: RunningServer | undefined;
  // Registered before the start, so that a signal during the start also shuts down cleanly.
  const signals = onStopSignal(io, () => {
    log('shutting down; press Ctrl-C again to exit immediately');
    exitAfterTimeout(io, { waitsFor: () => (server ? server.waitsFor : 'startup'), log });
    stop();
    return true;
  });
  try {
    server = await startServer({
      ...settings,
      builtInServers: bundled,
      functionTools: [ASK_USER_TOOLS, COMPUTE_TOOLS, TOOL_SEARCH],
      hasServerTools: true,
      signInCommand: openCommand(io, serveValues.dataDir === undefined ? null : '<data folder>'),
      generatesTitles: titles ?? true,
      flagServers: added,
      env,
      log,
    });
    const hasPage = role !== 'worker' && role !== 'tools';
    // Without a terminal, stdout may be a log, which must not contain a sign-in link.
    const shown = io.stdout.isTTY && hasPage ? await server.signInUrl() : server.url;
    const name = role === 'all' ? 'Toolyard' : `Toolyard (${role})`;
    io.stdout.write(`${name} is listening at ${shown}\n`);
    if (hasPage) {
      const newLink = openCommand(io, serveValues.dataDir === undefined ? null : shellWord(settings.dataDir));
      logAccess(token, server, { isTerminal: io.stdout.isTTY === true, open: newLink, log });
    }
    const where = databaseUrl === undefined ? '' : 'conversations and runs: PostgreSQL; ';
    log(`${where}data folder: ${settings.dataDir}; press Ctrl-C to stop`);
    if (open) openInBrowser(io, await server.signInUrl());
    await stopped;
    await server.close();
    return EXIT.done;
  } finally {
    signals.dispose();
  }
}

/**
 * The command that prints a sign-in link. It finds the server by its data folder, if that is not the default one; the
 * public page does not say where that is.
 */
function openCommand(io: CommandIo, folder: string | null): string {
  return `${ownCommand(io)} open${folder === null ? '' : ` --data-dir ${folder}`}`;
}

/** The server needs `node:sqlite` of Node 24. */
function requireNode24(): void {
  if (Number(process.versions.node.split('.')[0]) >= 24) return;
  throw createConfigError(
    `"toolyard serve" requires Node 24 or newer (this is ${process.versions.node}).`,
    'Update Node. "toolyard chat" works with this version.',
  );
}

/** Prints how to sign in. */
function logAccess(
  token: string | null | undefined,
  { tokenFile }: RunningServer,
  { isTerminal, open, log }: { isTerminal: boolean; open: string; log: (line: string) => void },
): void {
  if (token === null) {
    log('--no-token: all programs and users of this machine can use this server');
    return;
  }
  const where = tokenFile === null ? 'access token: as set by --token or TOOLYARD_TOKEN' : `access token: ${tokenFile}`;
  log(isTerminal ? 'the link signs in one browser and expires in 10 minutes' : where);
  log(`for a new link, run: ${open}`);
}
