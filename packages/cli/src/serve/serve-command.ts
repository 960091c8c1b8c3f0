import { ASK_USER_TOOLS } from '@toolyard/agent-host';
import { defined, ToolyardError } from '@toolyard/protocol';
import type { RunningServer } from '@toolyard/server';
import type { CommandIo } from '../command-io.ts';
import { onStopSignal } from '../chat/stop-signals.ts';
import { serversFrom } from '../servers.ts';
import { dataDirFrom } from '../server/data-dir.ts';
import { EXIT } from '../exit.ts';
import { openInBrowser } from '../open/open-in-browser.ts';
import { sanitize } from '../sanitize.ts';
import { exitAfterTimeout } from './exit-after-timeout.ts';
import type { GivenFlags } from './read-serve-flags.ts';
import { readServeFlags } from './read-serve-flags.ts';

/**
 * `toolyard serve`: the server in this process until a signal ends it. Returns the exit code. Throws ToolyardError
 * if it cannot start.
 */
export async function serveCommand(io: CommandIo, flags: GivenFlags): Promise<number> {
  const { env } = io;
  refuseOldNode();
  const tell = (line: string): void => void io.stderr.write(`toolyard: ${sanitize(line)}\n`);
  const { open, date, mcp, mcpConfig, uiSettingsFile, ...given } = readServeFlags({
    flags,
    env,
    cwd: io.cwd,
    warn: tell,
  });
  const settings = {
    ...given,
    dataDir: dataDirFrom(given.dataDir, io),
    uiSettings: { ...uiSettingsFile, ...given.uiSettings },
  };
  const { role = 'all', databaseUrl, token } = settings;
  const bundled = serversFrom({ mcp: [], date: date ?? true }, io);
  const added = serversFrom({ mcp: [...(mcp ?? [])], date: false, ...defined({ mcpConfig }) }, io);
  // Loaded only here: no other command pays for it.
  const { startServer } = await import('@toolyard/server');
  let end = (): void => {};
  const ended = new Promise<void>((resolve) => (end = resolve));
  let server: RunningServer | undefined;
  // Before anything is started: whatever comes when, what was started is ended in order.
  const signals = onStopSignal(io, () => {
    tell('ending; a second Ctrl-C ends it at once');
    exitAfterTimeout(io, { waitsFor: () => (server ? server.waitsFor : 'the start'), tell });
    end();
    return true;
  });
  try {
    server = await startServer({
      ...settings,
      builtInServers: bundled,
      functionTools: [ASK_USER_TOOLS],
      flagServers: added,
      env,
      log: tell,
    });
    const hasPage = role !== 'worker' && role !== 'tools';
    // What is not a terminal may be a log, and a link that signs somebody in does not belong there.
    const shown = io.stdout.isTTY && hasPage ? await server.signInUrl() : server.url;
    const name = role === 'all' ? 'Toolyard' : `Toolyard (${role})`;
    io.stdout.write(`${name} is at ${shown}\n`);
    if (hasPage) tellAccess(token, server, io.stdout.isTTY === true, tell);
    const where = databaseUrl === undefined ? '' : 'conversations and runs in PostgreSQL; the rest of the ';
    tell(`${where}data in ${settings.dataDir}; Ctrl-C ends it`);
    if (open) openInBrowser(io, await server.signInUrl());
    await ended;
    await server.close();
    return EXIT.done;
  } finally {
    signals.dispose();
  }
}

/** The database comes with Node itself, and only since then. */
function refuseOldNode(): void {
  if (Number(process.versions.node.split('.')[0]) >= 24) return;
  throw new ToolyardError({
    code: 'bad_config',
    message: `The server needs Node 24 or newer; this is ${process.versions.node}.`,
    hint: '"toolyard chat" works here all the same.',
  });
}

/** How to sign in, apart from the printed link. */
function tellAccess(
  token: string | null | undefined,
  { tokenFile }: RunningServer,
  isTerminal: boolean,
  tell: (line: string) => void,
): void {
  if (token === null) {
    tell('--no-token: every program and every user of this machine can use this server');
    return;
  }
  const where = tokenFile === null ? 'the access token is the one it was started with' : `access token: ${tokenFile}`;
  tell(isTerminal ? 'the link signs a browser in once, within 10 minutes' : where);
  tell('for another link: toolyard open');
}
