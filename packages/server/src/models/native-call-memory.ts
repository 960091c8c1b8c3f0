import type { NativeCallMemory } from '@toolyard/model-runtime';
import type { Clock, Owner } from '@toolyard/protocol';
import type { SettingsRepository } from '@toolyard/storage';

/** Prefix of `<provider>/<model>`. Written only here. */
const PREFIX = 'model.native-calls:';

/** Which models of a provider have made native calls, for all processes and after a restart. */
export function nativeCallMemory(
  principal: Owner,
  providerId: string,
  { settings, clock }: { settings: Pick<SettingsRepository, 'get' | 'set'>; clock: Clock },
): NativeCallMemory {
  const known = new Set<string>();
  return {
    async has(model) {
      if (known.has(model)) return true;
      const stored = (await settings.get(principal, `${PREFIX}${providerId}/${model}`)) === true;
      if (stored) known.add(model);
      return stored;
    },
    async add(model) {
      if (known.has(model)) return;
      known.add(model);
      await settings.set(principal, `${PREFIX}${providerId}/${model}`, true, clock.now());
    },
  };
}
