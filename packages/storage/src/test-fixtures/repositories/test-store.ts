import type { SharedStorage } from '../../storage.ts';

/** Storage for the data of one test, initially empty. Reopened, it contains what was stored. */
export type TestStore = { open(): Promise<SharedStorage>; remove(): Promise<void> };

export type CreateTestStore = () => Promise<TestStore>;
