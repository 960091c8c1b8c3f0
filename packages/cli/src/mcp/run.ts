import type { CommandIo } from '../command-io.ts';
import { onStopSignal } from '../chat/stop-signals.ts';
import { EXIT } from '../exit.ts';
import { exitOnClosedPipe } from '../closed-pipe.ts';
import { showWhileLaunching } from '../show-launches.ts';
import type { McpFlags, McpSource } from './mcp-source.ts';
import { openAdHoc, openSource } from './mcp-source.ts';
import { printNote } from './output.ts';
import type { TargetFlags } from './target.ts';
import { isTarget, serverFromWords } from './target.ts';

export type SourceCommand = (source: McpSource, signal: AbortSignal) => Promise<number>;
/** A command for one server. */
export type ServerCommand = (source: McpSource, id: string, signal: AbortSignal) => Promise<number>;

/** Runs a command with the configured servers. Prints where they run; shuts down cleanly on Ctrl-C. */
export function withSource(io: CommandIo, flags: McpFlags, work: SourceCommand): Promise<number> {
  return run(io, () => openSource(io, flags), work);
}

/** Runs a command with one server: a configured one by its name, any other by its URL or command. */
export async function withServer(io: CommandIo, flags: McpFlags, server: string, work: ServerCommand): Promise<number> {
  if (!isTarget(server)) return withSource(io, flags, (source, signal) => work(source, server, signal));
  const config = serverFromWords([server], { header: [], env: [] });
  return run(
    io,
    () => openAdHoc(io, flags, config),
    (source, signal) => work(source, config.id, signal),
  );
}

/** `toolyard mcp test`: a configured server by its name, any other by its URL or command. */
export function testServerCommand(
  io: CommandIo,
  flags: McpFlags & TargetFlags,
  words: readonly string[],
): Promise<number> {
  const test = async (source: McpSource, id: string, signal: AbortSignal): Promise<number> => {
    const report = await showWhileLaunching(io, source, () =>
      source.api.post('/api/mcp/test', { body: { id }, signal }),
    );
    const { printReport } = await import('./report.ts');
    if (flags.json !== true) return printReport(io, report);
    const { printJson } = await import('./output.ts');
    printJson(io, report);
    return report.ok ? EXIT.done : EXIT.failed;
  };
  const [first = ''] = words;
  const adHoc = (): Promise<number> => {
    const config = serverFromWords(words, flags);
    return run(
      io,
      () => openAdHoc(io, flags, config),
      (source, signal) => test(source, config.id, signal),
    );
  };
  if (words.length > 1 || isTarget(first) || flags.header.length + flags.env.length > 0) return adHoc();
  return withSource(io, flags, async (source, signal) => {
    const { items } = await source.api.get('/api/mcp/servers');
    if (!items.some(({ id }) => id === first)) {
      printNote(io, `No server is named "${first}"; running it as a command.`);
      return adHoc();
    }
    return test(source, first, signal);
  });
}

async function run(io: CommandIo, open: () => Promise<McpSource>, work: SourceCommand): Promise<number> {
  exitOnClosedPipe(io);
  const stop = new AbortController();
  const signals = onStopSignal(io, () => {
    stop.abort();
    return true;
  });
  try {
    await using source = await open();
    printNote(io, source.description);
    return signals.exitCode() ?? (await work(source, stop.signal));
  } catch (thrown) {
    if (stop.signal.aborted) return signals.exitCode() ?? EXIT.stopped;
    throw thrown;
  } finally {
    signals.dispose();
  }
}
