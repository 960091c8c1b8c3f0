/** What is tried again and again tells what went wrong once, until it went well or something else goes wrong. */
export type TellOnce = {
  failed(line: string): void;
  worked(): void;
};

/** @param log where it is told */
export function createTellOnce(log: (line: string) => void): TellOnce {
  let told = '';
  return {
    failed(line) {
      if (line !== told) log(line);
      told = line;
    },
    worked() {
      told = '';
    },
  };
}
