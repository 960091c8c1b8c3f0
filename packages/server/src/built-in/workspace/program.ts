import type { ToolContext } from '@toolyard/agent-host';
import type { ToolResult } from '@toolyard/protocol';

/** A program that runs in the workspace of a call. */
type Program = {
  id: string;
  command: string;
  args: readonly string[];
  env?: Record<string, string>;
  input: string;
};

export type RunProgram = (program: Program, timeoutMs: number, ctx: ToolContext) => Promise<ToolResult>;
