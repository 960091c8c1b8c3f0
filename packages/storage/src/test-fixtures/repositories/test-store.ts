import type { SharedStorage } from '../../storage.ts';

/** A place for one test's data, empty at first. Opened again it holds what was stored. */
export type TestStore = { open(): Promise<SharedStorage>; remove(): Promise<void> };

export type CreateTestStore = () => Promise<TestStore>;
