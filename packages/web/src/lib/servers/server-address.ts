import { settingsAddress } from '../shell/addresses.ts';

/** The page of one server; of all where none is named. */
export function serverAddress(id?: string): string {
  return settingsAddress('tools') + (id === undefined ? '' : `?server=${encodeURIComponent(id)}`);
}
