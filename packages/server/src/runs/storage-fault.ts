import { ToolyardError } from '@toolyard/protocol';

/** What the store could not do now it may do later: whatever was to be stored is none the worse for it. */
export function isStorageFault(thrown: unknown): boolean {
  return ToolyardError.isInstance(thrown) && (thrown.code === 'storage_full' || thrown.code === 'storage_failed');
}
