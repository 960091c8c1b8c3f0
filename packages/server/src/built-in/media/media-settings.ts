import type { Clock, MediaTools, Owner } from '@toolyard/protocol';
import { mediaTools } from '@toolyard/protocol/schemas';
import type { SettingsRepository } from '@toolyard/storage';

const SETTINGS_KEY = 'tools.media';

/** The models that the user chose for images and speech. */
export type MediaSettings = {
  get(principal: Owner): Promise<MediaTools>;
  set(principal: Owner, chosen: MediaTools): Promise<MediaTools>;
};

export function createMediaSettings(of: {
  settings: Pick<SettingsRepository, 'get' | 'set'>;
  clock: Pick<Clock, 'now'>;
}): MediaSettings {
  const { settings, clock } = of;
  return {
    async get(principal) {
      const read = mediaTools.safeParse(await settings.get(principal, SETTINGS_KEY));
      return read.success ? read.data : { image: null, speech: null };
    },
    async set(principal, chosen) {
      await settings.set(principal, SETTINGS_KEY, chosen, clock.now());
      return chosen;
    },
  };
}
