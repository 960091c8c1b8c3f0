import { isStorageFault, ToolyardError } from '@toolyard/protocol';

/** What is tried again and again tells what went wrong once, until it went well or something else goes wrong. */
export type LogOnce = {
  /** @param what what did not go well, as a log begins a line */
  failed(what: string, thrown: unknown): void;
  worked(): void;
};

/** @param log where it is told */
export function createLogOnce(log: (line: string) => void): LogOnce {
  let told = '';
  return {
    failed(what, thrown) {
      const line = `${what}: ${wordsOf(thrown)}`;
      // A database that is away is so in one way and then in another: it is the same thing to be told.
      const kind = isStorageFault(thrown) ? `${what}: ${thrown.code}` : line;
      if (kind !== told) log(line);
      told = kind;
    },
    worked() {
      told = '';
    },
  };
}

/** What is known is told in its words; where else it came from helps to find a defect. */
function wordsOf(thrown: unknown): string {
  if (ToolyardError.isInstance(thrown)) return thrown.message;
  return thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
}
