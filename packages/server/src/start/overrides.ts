import type { Failpoint } from '@toolyard/protocol';
import type { SharedStorage } from '@toolyard/storage';

/** Replacements that tests use. */
export type ServerOverrides = {
  failpoint?: Failpoint;
  /** Wraps the storage that the server opened. */
  watchStorage?: (storage: SharedStorage) => SharedStorage;
  /** Time after which runs and servers of a process without heartbeat are released; default 10 s. */
  leaseMs?: number;
  /** Interval at which this process scans for runs whose lease has expired; default 3 s. */
  claimExpiredEveryMs?: number;
  /** How long a run waits for MCP servers that connect for the first time; default 5 s. */
  connectWaitMs?: number;
  /** How long calls in progress may take when the server is closed; default 5 s. */
  lastCallsMs?: number;
  /** Cost of deriving a key from TOOLYARD_SECRET (`N` of scrypt); default 2^15. */
  scryptCost?: number;
};
