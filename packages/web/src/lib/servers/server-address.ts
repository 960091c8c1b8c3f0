import { settingsAddress } from '../shell/addresses.ts';

/** The path of one server's page, or of the list. */
export function serverAddress(id?: string): string {
  return settingsAddress('tools') + (id === undefined ? '' : `?server=${encodeURIComponent(id)}`);
}
