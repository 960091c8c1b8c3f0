import type { DatabaseOptions, SharedStorage } from '../storage.ts';
export function openDatabase(_options: DatabaseOptions): Promise<SharedStorage> {
  return Promise.reject(new Error('soon'));
}
