import { ToolyardError, toErrorInfo } from '@toolyard/protocol';
import { plain } from './plain.ts';

/** Tells a failure on stderr, without a stack; gives the exit code. */
export function reportFailure(thrown: unknown, err: NodeJS.WritableStream = process.stderr): number {
  const { message, hint } = toErrorInfo(thrown);
  err.write(`toolyard: ${plain(message)}\n`);
  if (hint) err.write(`  ${plain(hint)}\n`);
  if (!ToolyardError.isInstance(thrown) && process.env['TOOLYARD_DEBUG']) {
    err.write(`${thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)}\n`);
  }
  return 1;
}
