import { StringDecoder } from 'node:string_decoder';
import type { Clock, McpResourceLimits } from '@toolyard/protocol';
import { defined } from '@toolyard/protocol';
import type { ResourceLimits } from '../host/resource-limits.ts';
import { explainLimit } from '../host/resource-limits.ts';
import { childExit } from './child-exit.ts';
import { newMarker } from './child-marker.ts';
import { ProcessGroup } from './process-group.ts';
import type { OverLimit } from './sandbox/resource-watch.ts';
import { findFileLimit, ResourceWatch } from './sandbox/resource-watch.ts';
import type { SandboxOptions } from './sandbox/sandboxed-command.ts';
import { spawnCommand } from './spawn-command.ts';
import { stdioCommand } from './stdio-command.ts';
import { createConfigError } from '../values/config-error.ts';

export type SandboxedRun = {
  /** Names the private home folder, which is kept. The same command gets the same one. */
  id: string;
  command: string;
  args: readonly string[];
  env?: Record<string, string>;
  /** Written to standard input, which is then closed. */
  input: string;
  /** The only folder that it may write, besides its own. */
  folder: string;
  /** Folders that Toolyard wrote for it, with links resolved: it may read them wherever they are. */
  read?: readonly string[];
  timeoutMs: number;
  /** Further output is dropped. */
  maxOutputLength: number;
  signal: AbortSignal;
  clock: Clock;
  sandbox: SandboxOptions;
  /** Default: those of local servers. */
  limits?: McpResourceLimits;
};

/** How a sandboxed command ended. */
export type SandboxedEnd = {
  /** Standard output and standard error, as they arrived. */
  output: string;
  isCut: boolean;
  /** The exit code; null if it was killed. */
  code: number | null;
  isTimeout: boolean;
  /** What the sandbox did not allow. */
  blocked: string[];
  /** Why it was stopped, after "It", if it used more of the machine than a limit allows. */
  overLimit?: string;
};

/**
 * Runs a command in the sandbox of local servers, without network, and terminates all its processes when it ends.
 *
 * @throws ToolyardError `bad_config` if there is no sandbox or the folder cannot be used; the reason of `signal`
 * @example
 * const { output, code } = await runSandboxed({
 *   id: 'script',
 *   command: 'sh',
 *   args: ['-c', 'wc -l < input.txt'],
 *   input: '',
 *   folder: '/tmp/work',
 *   timeoutMs: 10_000,
 *   maxOutputLength: 10_000,
 *   signal,
 *   clock: systemClock,
 *   sandbox: {},
 * });
 */
export async function runSandboxed(run: SandboxedRun): Promise<SandboxedEnd> {
  const { id, command, args, env, input, folder, read = [], signal, clock, sandbox, limits } = run;
  signal.throwIfAborted();
  const config = {
    type: 'stdio' as const,
    command,
    args: [...args],
    cwd: folder,
    // It was resolved before: another program may have replaced it since.
    leadsTo: { [folder]: folder },
    sandbox: { network: 'off' as const, ...defined({ limits }) },
    ...(env ? { env } : {}),
  };
  const sandboxed = await stdioCommand(
    config,
    { serverId: id, log: () => undefined },
    { ...sandbox, own: read, onBlocked: () => undefined },
  );
  try {
    if (sandboxed.isolation().kind !== 'sandboxed') {
      throw createConfigError(`"${command}" is not available here, or has no sandbox.`);
    }
    const marker = newMarker();
    const child = spawnCommand(sandboxed, marker);
    const started = new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', reject);
    });
    const ended = childExit(child, clock);
    const collected = collect([child.stdout, child.stderr], run.maxOutputLength, (line) => sandboxed.readLine(line));
    child.stdin?.on('error', () => undefined);
    await started;
    const group = child.pid === undefined ? undefined : new ProcessGroup(child, child.pid, { clock, marker });
    let over: OverLimit | undefined;
    const endWatch = watchRun(child.pid, sandboxed.limits, clock, (limit) => {
      over = limit;
      group?.killNow();
    });
    child.stdin?.end(input);
    const isTimeout = await stoppedBefore(ended, run, () => group?.killNow());
    endWatch();
    const end = await ended;
    over ??= findFileLimit(end, sandboxed.limits);
    await group?.end();
    signal.throwIfAborted();
    const isolation = sandboxed.isolation();
    const blocked = isolation.kind === 'sandboxed' ? (isolation.blocked ?? []).map(({ target }) => target) : [];
    return {
      ...collected.end(),
      code: end.code,
      isTimeout,
      blocked,
      ...(over === undefined ? {} : { overLimit: explainLimit(over).text }),
    };
  } finally {
    await sandboxed.end();
  }
}

function watchRun(
  pid: number | undefined,
  limits: ResourceLimits | undefined,
  clock: Clock,
  onOver: (over: OverLimit) => void,
): () => void {
  if (pid === undefined || limits === undefined) return () => undefined;
  return ResourceWatch.start({ pid, limits, clock, onOver, onSlowed: () => undefined });
}

/** Kills at the timeout or when `signal` is aborted; resolves to true after a timeout. */
async function stoppedBefore(
  ended: Promise<unknown>,
  { timeoutMs, signal, clock }: SandboxedRun,
  kill: () => void,
): Promise<boolean> {
  let isTimeout = false;
  const cancel = clock.after(timeoutMs, () => {
    isTimeout = true;
    kill();
  });
  signal.addEventListener('abort', kill, { once: true });
  if (signal.aborted) kill();
  try {
    await ended;
    return isTimeout;
  } finally {
    cancel();
    signal.removeEventListener('abort', kill);
  }
}

type Pipe = NodeJS.ReadableStream | null;

/** Collects the output of the pipes in the order of its arrival. */
function collect(pipes: readonly Pipe[], most: number, readLine: (line: string) => void) {
  let output = '';
  let isCut = false;
  for (const pipe of pipes) {
    const decoder = new StringDecoder('utf8');
    pipe?.on('error', () => undefined);
    pipe?.on('data', (chunk: Buffer) => {
      const text = decoder.write(chunk);
      const room = most - output.length;
      isCut ||= text.length > room;
      output += text.slice(0, room);
    });
  }
  return {
    end() {
      for (const line of output.split('\n').slice(-100)) readLine(line);
      return { output, isCut };
    },
  };
}
