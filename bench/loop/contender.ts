/** How server-everything is started: the same for all. */
export type ServerCommand = { command: string; args: string[] };

export type Surroundings = {
  /** Of the mock, with `/v1`. */
  baseUrl: string;
  server: ServerCommand;
};

/** A loop with its tools connected, ready to run. */
export type Contender = {
  /** What is compared, with its version. */
  version: string;
  /**
   * One whole run in a new conversation. Resolves with the answer as put together from the streamed pieces: whoever
   * does not read the stream has no answer. Throws what the library throws.
   */
  run: (calls: number) => Promise<string>;
  close: () => Promise<void>;
};

/** Every file in `contenders/` exports one, as `start`. */
export type StartContender = (surroundings: Surroundings) => Promise<Contender>;
