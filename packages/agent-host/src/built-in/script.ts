/** A script to execute, and its limits. */
export type Script = { code: string; timeoutMs: number; memoryBytes: number; maxOutputLength: number };

/** What a script printed and returned, as text; cut at the limit of its output. */
export type ScriptOutput = {
  printed: string;
  /** The value of the last expression; absent if it is undefined or the script failed. */
  value?: string;
  error?: string;
  isCut: boolean;
  /** Its engine must not be used again: it is out of memory or does not stop. */
  isSpent?: true;
};

/** What a thread that executes scripts reports: that the script starts, then its result. */
export type FromScriptThread =
  | { type: 'started' }
  | { type: 'output'; output: ScriptOutput }
  | { type: 'failure'; message: string };

/** Executes a script away from the caller's thread. Rejects if `signal` is aborted or the thread fails. */
export type ExecuteScript = (script: Script, signal: AbortSignal) => Promise<ScriptOutput>;
