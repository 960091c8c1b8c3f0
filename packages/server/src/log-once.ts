import { isStorageFault, ToolyardError } from '@toolyard/protocol';

/** For operations that are retried: logs a failure once, until a success or a different failure. */
export type LogOnce = {
  /** @param what the operation that failed, as the beginning of a log line */
  failed(what: string, thrown: unknown): void;
  worked(): void;
};

/** @param log receives the lines */
export function createLogOnce(log: (line: string) => void): LogOnce {
  let lastKind = '';
  return {
    failed(what, thrown) {
      const line = `${what}: ${failureText(thrown)}`;
      // One outage causes different messages; log it once per error code.
      const kind = isStorageFault(thrown) ? `${what}: ${thrown.code}` : line;
      if (kind !== lastKind) log(line);
      lastKind = kind;
    },
    worked() {
      lastKind = '';
    },
  };
}

/** Known errors have a readable message; for others the stack helps to find the defect. */
function failureText(thrown: unknown): string {
  if (ToolyardError.isInstance(thrown)) return thrown.message;
  return thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
}
