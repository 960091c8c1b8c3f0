import { main } from '../main.ts';
import type { MemoryIoOptions } from './memory-io.ts';
import { createMemoryIo } from './memory-io.ts';

export type RunCommandOptions = MemoryIoOptions & {
  /** The content of stdin, which then ends. */
  input?: string | Uint8Array;
  /** Called with the whole stderr so far whenever there is more of it. */
  onError?: (stderr: string) => unknown;
};

export type CommandResult = { code: number; stdout: string; stderr: string };

/** Printed by a command that finds orphaned processes of another test, which killed a server. */
const ORPHANS = /^toolyard: MCP servers: stopped \d+ processes left by a killed Toolyard[^\n]*\n/m;

/**
 * Runs a command in this process, between pipes, until it returns or exits.
 *
 * @example const { code, stdout } = await runCommand(['models', '--data-dir', folder]);
 */
export async function runCommand(args: readonly string[], options: RunCommandOptions = {}): Promise<CommandResult> {
  const io = createMemoryIo(options);
  const { onError } = options;
  if (onError) io.stderr.on('captured', () => onError(io.stderr.text));
  io.stdin.end(options.input);
  const code = await Promise.race([main(args, io), io.exited]);
  return { code, stdout: io.stdout.text, stderr: io.stderr.text.replace(ORPHANS, '') };
}
