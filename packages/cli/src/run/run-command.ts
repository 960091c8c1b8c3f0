import { randomUUID } from 'node:crypto';
import type { Interrupt, RunEvent, StartRun } from '@toolyard/protocol';
import { defined, systemClock, ToolyardError } from '@toolyard/protocol';
import { findAgent } from '../server/find-by-name.ts';
import { readUserMessage } from '../chat/read-flags.ts';
import { createTerminal } from '../chat/terminal.ts';
import { TerminalTranscript } from '../chat/transcript.ts';
import type { CommandIo } from '../command-io.ts';
import { EXIT } from '../exit.ts';
import { summarize } from '../interrupts/list-interrupts.ts';
import { printLine, printNote } from '../output.ts';
import { jsonLine, plainLine } from '../sanitize.ts';
import type { ServerClient } from '../server/server-client.ts';
import { ServerUnreachable } from '../server/server-lost.ts';
import { Reconnector } from '../server-chat/reconnector.ts';
import { readEvents } from '../server-chat/read-events.ts';

export type RunFlags = { wait?: boolean; conversation?: string; json?: boolean };

const RECONNECT_TIMEOUT_MS = 30_000;

/** `toolyard run`: returns the exit code, with `--wait` by the outcome of the run. */
export async function runCommand(
  io: CommandIo,
  client: ServerClient,
  agent: string,
  task: string,
  flags: RunFlags,
): Promise<number> {
  const terminal = createTerminal(io);
  const text = await readUserMessage(task, { allow: [] }, terminal.input);
  const reconnector = new Reconnector({
    clock: systemClock,
    timeoutMs: RECONNECT_TIMEOUT_MS,
    print: (line) => printNote(io, plainLine(line, 500)),
    hint: () => 'The run continues on the server: "toolyard runs list" shows it.',
  });
  const { conversation: conversationId } = flags;
  const agentId = await resolveAgentId(client, agent);
  // The id makes a repeated request find the run.
  const body: StartRun = {
    id: randomUUID(),
    task: text ?? '',
    ...(conversationId === undefined ? { agentId } : defined({ conversationId })),
  };
  const started = await reconnector.retry(() => client.post('/api/runs', { body }));
  const { id } = started.run;
  if (flags.wait !== true) {
    printLine(io, flags.json === true ? jsonLine(started) : id);
    return EXIT.done;
  }
  if (flags.json !== true) printNote(io, `run ${id}`);
  const transcript = new TerminalTranscript(terminal);
  for await (const event of streamEvents(client, id, reconnector)) {
    if (flags.json === true) printLine(io, jsonLine(event));
    else transcript.show(event);
    if (event.type === 'interrupt_requested') printHowToAnswer(io, event.interrupt);
    if (event.type !== 'run_finished') continue;
    if (flags.json !== true) transcript.settle();
    if (event.status === 'failed') printNote(io, plainLine(event.error?.message ?? 'The run failed.', 500));
    return event.status === 'done' ? EXIT.done : EXIT.failed;
  }
  throw new ToolyardError({ code: 'stream_broken', message: `The events of run ${id} ended before the run.` });
}

/** A key with limits cannot list agents: it names them by ID. */
async function resolveAgentId(client: ServerClient, agent: string): Promise<string> {
  try {
    return (await findAgent(client, agent)).id;
  } catch (thrown) {
    if (ToolyardError.isInstance(thrown) && thrown.code === 'forbidden') return agent;
    throw thrown;
  }
}

async function* streamEvents(
  client: ServerClient,
  runId: string,
  reconnector: Reconnector,
): AsyncGenerator<RunEvent, undefined> {
  let after = 0;
  const { signal } = new AbortController();
  for (;;) {
    try {
      const onOpen = (): void => reconnector.connected();
      for await (const event of readEvents(client, runId, { after, clock: systemClock, signal, onOpen })) {
        if (event.seq <= after) continue;
        after = event.seq;
        yield event;
        if (event.type === 'run_finished') return;
      }
      throw new ServerUnreachable({ code: 'stream_broken', message: `The server at ${client.url} closed the stream.` });
    } catch (thrown) {
      if (!(thrown instanceof ServerUnreachable)) throw thrown;
      await reconnector.wait(thrown);
    }
  }
}

/** The command asks nothing: the run waits for an answer in the page or the CLI. */
function printHowToAnswer(io: CommandIo, interrupt: Interrupt): void {
  printNote(io, `waiting: ${plainLine(summarize(interrupt), 300)}`);
  printNote(io, `answer it in the Inbox, or with: toolyard interrupts answer ${interrupt.id}`);
}
