import { fileURLToPath } from 'node:url';
import type { RunNodeOptions, RunNodeResult } from '@toolyard/testing';
import { COMPILED_ONCE, programArgs, runNode } from '@toolyard/testing';
import { COMMAND_ENV } from './memory-io.ts';

const BIN = fileURLToPath(new URL('../bin.ts', import.meta.url));

/** Arguments of Node that run the binary. */
export const NODE_ARGS: readonly string[] = ['--disable-warning=ExperimentalWarning', ...programArgs(BIN)];

export const PROCESS_ENV: Readonly<Record<string, string>> = { ...COMMAND_ENV, ...COMPILED_ONCE };

/** Runs the binary in a process of its own to its end. */
export function spawnCommand(args: readonly string[], options: RunNodeOptions = {}): Promise<RunNodeResult> {
  return runNode([...NODE_ARGS, ...args], { ...options, env: { ...PROCESS_ENV, ...options.env } });
}
