import { ToolyardError, toErrorInfo } from '@toolyard/protocol';
import type { CommandIo } from './command-io.ts';
import { shownMessage } from './sanitize.ts';

/** Prints a failure on stderr, without a stack unless TOOLYARD_DEBUG is set; returns the exit code. */
export function reportFailure(thrown: unknown, { stderr, env }: Pick<CommandIo, 'stderr' | 'env'>): number {
  const { message, hint } = toErrorInfo(thrown);
  stderr.write(`toolyard: ${shownMessage(message)}\n`);
  if (hint) stderr.write(`  ${shownMessage(hint)}\n`);
  if (!ToolyardError.isInstance(thrown) && env['TOOLYARD_DEBUG']) {
    stderr.write(`${thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)}\n`);
  }
  return 1;
}
