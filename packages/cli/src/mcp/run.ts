import type { ServerConfig } from '@toolyard/mcp-host';
import type { CommandIo } from '../command-io.ts';
import { onStopSignal } from '../chat/stop-signals.ts';
import { EXIT } from '../exit.ts';
import { exitOnClosedPipe } from '../closed-pipe.ts';
import { showWhileLaunching } from '../show-launches.ts';
import type { McpContext, McpFlags, McpSource } from './mcp-source.ts';
import { openAdHoc, openSource } from './mcp-source.ts';
import { printNote } from '../output.ts';
import type { TargetFlags } from './target.ts';
import { isTarget, serverFromWords } from './target.ts';

/** Runs a command with the configured servers. Prints where they run; shuts down cleanly on Ctrl-C. */
export function withSource(
  io: CommandIo,
  flags: McpFlags,
  work: (mcp: McpContext) => Promise<number | void>,
): Promise<number> {
  return run(io, () => openSource(io, flags), work);
}

/** Runs a command with one server: a configured one by its name, any other by its URL or command. */
export async function withServer(
  io: CommandIo,
  flags: McpFlags,
  server: string,
  work: (mcp: McpContext, id: string) => Promise<number | void>,
): Promise<number> {
  if (!isTarget(server)) return withSource(io, flags, (mcp) => work(mcp, server));
  return withAdHoc(io, flags, serverFromWords([server], { header: [], env: [] }), work);
}

function withAdHoc(
  io: CommandIo,
  flags: McpFlags,
  config: ServerConfig,
  work: (mcp: McpContext, id: string) => Promise<number | void>,
): Promise<number> {
  return run(
    io,
    () => openAdHoc(io, flags, config),
    (mcp) => work(mcp, config.id),
  );
}

/** `toolyard mcp test`: a configured server by its name, any other by its URL or command. */
export function testServerCommand(
  io: CommandIo,
  words: readonly string[],
  flags: McpFlags & TargetFlags,
): Promise<number> {
  const test = async ({ source, signal }: McpContext, id: string): Promise<number> => {
    const report = await showWhileLaunching(io, source, () =>
      source.api.post('/api/mcp/test', { body: { id }, signal }),
    );
    const { printReport } = await import('./report.ts');
    if (flags.json !== true) return printReport(io, report);
    const { printJson } = await import('../output.ts');
    printJson(io, report);
    return report.ok ? EXIT.done : EXIT.failed;
  };
  const [first = ''] = words;
  const adHoc = (): Promise<number> => withAdHoc(io, flags, serverFromWords(words, flags), test);
  if (words.length > 1 || isTarget(first) || flags.header.length + flags.env.length > 0) return adHoc();
  return withSource(io, flags, async (mcp) => {
    const { items } = await mcp.source.api.get('/api/mcp/servers');
    if (!items.some(({ id }) => id === first)) {
      printNote(io, `No server is named "${first}"; running it as a command.`);
      return adHoc();
    }
    return test(mcp, first);
  });
}

async function run(
  io: CommandIo,
  open: () => Promise<McpSource>,
  work: (mcp: McpContext) => Promise<number | void>,
): Promise<number> {
  exitOnClosedPipe(io);
  const stop = new AbortController();
  const signals = onStopSignal(io, () => {
    stop.abort();
    return true;
  });
  try {
    await using source = await open();
    printNote(io, source.description);
    return signals.exitCode() ?? (await work({ io, source, signal: stop.signal })) ?? EXIT.done;
  } catch (thrown) {
    if (stop.signal.aborted) return signals.exitCode() ?? EXIT.stopped;
    throw thrown;
  } finally {
    signals.dispose();
  }
}
