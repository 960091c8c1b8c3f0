import type { Failpoint } from '@toolyard/protocol';
import type { SharedStorage } from '@toolyard/storage';

/** Called by timers: when they occur says nothing about the run. */
const BY_THE_CLOCK = new Set(['renewLeases', 'claimExpired', 'compact', 'purgeDeleted', 'due']);

/** The storage with a failpoint before and after each call: `store:runs.commit:asked`, `:answered`. */
export function withFailpoints(storage: SharedStorage, failpoint: Failpoint): SharedStorage {
  return new Proxy(storage, {
    get(target, name, receiver) {
      const part: unknown = Reflect.get(target, name, receiver);
      if (typeof part !== 'object' || part === null) return part;
      return new Proxy(part, {
        get(repository, method) {
          const asked: unknown = Reflect.get(repository, method, repository);
          if (typeof asked !== 'function' || BY_THE_CLOCK.has(String(method))) return asked;
          const place = `store:${String(name)}.${String(method)}`;
          return (...given: unknown[]): unknown => {
            void failpoint(`${place}:asked`);
            const answer: unknown = Reflect.apply(asked, repository, given);
            if (!(answer instanceof Promise)) {
              void failpoint(`${place}:answered`);
              return answer;
            }
            return answer.finally(() => void failpoint(`${place}:answered`));
          };
        },
      });
    },
  });
}
