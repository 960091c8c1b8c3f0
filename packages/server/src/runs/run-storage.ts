import type { SharedStorage } from '@toolyard/storage';

/** Storage whose engine may answer at once or over a socket. */
export type RunStorage = SharedStorage;
