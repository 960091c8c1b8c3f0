import { createTerminalLineReader, createTerminal } from './chat/terminal.ts';
import type { CommandIo } from './command-io.ts';

/** Asks on the terminal; `cannot` without a terminal. Any answer but "y" and "yes" means no. */
export async function askYesNo(
  io: CommandIo,
  question: string,
  signal?: AbortSignal,
): Promise<'yes' | 'no' | 'cannot'> {
  const terminal = createTerminal(io);
  if (!terminal.interactive) return 'cannot';
  const reader = createTerminalLineReader(terminal);
  try {
    const line = await reader.ask(`${question} [y/N] `, signal);
    return line.kind === 'line' && /^y(es)?$/i.test(line.text.trim()) ? 'yes' : 'no';
  } finally {
    reader.close();
  }
}
