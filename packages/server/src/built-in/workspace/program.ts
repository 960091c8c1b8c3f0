import type { ToolContext } from '@toolyard/agent-host';
import type { ToolResult } from '@toolyard/protocol';

const MAX_SECONDS = 600;
export const DEFAULT_SECONDS = 60;
/** The schema of the argument with which a model limits the time of a program. */
export const TIMEOUT = {
  type: 'integer',
  minimum: 1,
  maximum: MAX_SECONDS,
  description: `Default ${DEFAULT_SECONDS}.`,
} as const;
/** Of every tool that runs what a model writes. */
export const RUNS_ANYTHING = { readOnly: false, destructive: true, openWorld: false } as const;

/** A program that runs in the workspace of a call. */
type Program = {
  id: string;
  command: string;
  args: readonly string[];
  env?: Record<string, string>;
  input: string;
};

export type RunProgram = (program: Program, timeoutMs: number, ctx: ToolContext) => Promise<ToolResult>;
