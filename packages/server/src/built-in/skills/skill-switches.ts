import type { Clock, JsonValue, Owner } from '@toolyard/protocol';
import { isJsonObject } from '@toolyard/protocol';
import type { SettingsRepository } from '@toolyard/storage';

const PREFIX = 'skills.';

/** What the user decided about a skill: the digest that is switched on, or null for off. */
export type SkillSwitches = {
  /** By the id of the skill; those without an entry are undecided. */
  all(principal: Owner): Promise<ReadonlyMap<string, string | null>>;
  set(principal: Owner, id: string, digest: string | null): Promise<void>;
};

export function createSkillSwitches(of: {
  settings: Pick<SettingsRepository, 'all' | 'set'>;
  clock: Pick<Clock, 'now'>;
}): SkillSwitches {
  return {
    async all(principal) {
      const stored = await of.settings.all(principal);
      return new Map(
        [...stored].flatMap(([key, value]) =>
          key.startsWith(PREFIX) ? [[key.slice(PREFIX.length), digestIn(value)]] : [],
        ),
      );
    },
    set: (principal, id, digest) => of.settings.set(principal, PREFIX + id, { digest }, of.clock.now()),
  };
}

function digestIn(value: JsonValue): string | null {
  const digest = isJsonObject(value) ? value['digest'] : null;
  return typeof digest === 'string' ? digest : null;
}
