import type { RunStore } from '@toolyard/protocol';
import type { Storage } from '@toolyard/storage';

/** Storage whose engine may answer at once or over a socket. */
export type RunStorage = Omit<Storage, 'runs'> & { readonly runs: RunStore };
