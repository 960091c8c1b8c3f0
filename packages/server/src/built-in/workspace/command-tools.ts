import type { FunctionToolGroup, ToolContext } from '@toolyard/agent-host';
import type { SandboxedEnd } from '@toolyard/mcp-host/node';
import { findCommand, runSandboxed } from '@toolyard/mcp-host/node';
import type { Clock, ToolResult } from '@toolyard/protocol';
import { ToolyardError, say } from '@toolyard/protocol';
import type { RunProgram } from './program.ts';
import { createRunPython } from './run-python.ts';
import { createShell } from './shell.ts';
import { createToolFailedError, openWorkspace } from './workspace-path.ts';

const MAX_OUTPUT_LENGTH = 30_000;

/** The folders of skills that a program names in its texts: it may read them. */
export type NamedSkillFolders = (texts: readonly string[], ctx: ToolContext) => Promise<string[]>;

type CommandToolsOptions = {
  /** Never shown to a command: the data folder. */
  hidden: readonly string[];
  clock: Clock;
  /** Where private home folders are; default: the cache folder of the user. */
  stateFolder?: string;
  skillFolders?: NamedSkillFolders;
};

/** Tools that run commands in the workspace, in the sandbox of local servers. */
export function createCommandTools({
  hidden,
  clock,
  stateFolder,
  skillFolders = () => Promise.resolve([]),
}: CommandToolsOptions): FunctionToolGroup {
  const run: RunProgram = async (program, timeoutMs, ctx) => {
    const { signal } = ctx;
    const { root } = openWorkspace(ctx.workspace, hidden);
    const read = await skillFolders([program.input, ...Object.values(program.env ?? {})], ctx);
    const end = await runSandboxed({
      ...program,
      folder: root,
      read,
      timeoutMs,
      maxOutputLength: MAX_OUTPUT_LENGTH,
      signal,
      clock,
      sandbox: { dataFolders: hidden, ...(stateFolder === undefined ? {} : { stateFolder }) },
    }).catch((thrown: unknown) => {
      if (!ToolyardError.isInstance(thrown)) throw thrown;
      throw createToolFailedError(`The command was not started. ${thrown.message}`);
    });
    return toResult(end, timeoutMs);
  };
  const python = ['python3', 'python'].find((name) => findCommand(name, process.env['PATH']) !== undefined);
  return {
    id: 'shell',
    title: say`Commands in the workspace`.text,
    enabled: false,
    needsWorkspace: true,
    tools: [createShell(run), ...(python === undefined ? [] : [createRunPython(run, python)])],
  };
}

function toResult({ output, isCut, code, isTimeout, blocked, overLimit }: SandboxedEnd, timeoutMs: number): ToolResult {
  const ending =
    overLimit !== undefined
      ? `Stopped: it ${overLimit}.`
      : isTimeout
        ? `Stopped after ${timeoutMs / 1000} s.`
        : code === 0
          ? ''
          : `Exit code: ${code ?? 'killed'}`;
  const lines = [
    output.trimEnd(),
    ...(isCut ? [`[cut after ${MAX_OUTPUT_LENGTH} characters]`] : []),
    ...(blocked.length > 0 ? [`The sandbox does not allow: ${blocked.join(', ')}`] : []),
    ending,
  ];
  const text = lines.filter((line) => line !== '').join('\n') || 'The command printed nothing.';
  return { content: [{ type: 'text', text }], isError: isTimeout || code !== 0, outcome: 'done' };
}
