import { expect, it } from 'vitest';
import { KeptApps } from './kept-apps.ts';

it('keeps the apps that were used last', () => {
  const apps = new KeptApps();
  const kept = new Set<string>();
  const use = (key: string) =>
    apps.use(key, () => {
      kept.add(key);
      return () => kept.delete(key);
    });
  for (const key of ['a', 'b', 'c', 'd']) use(key);
  use('a');
  use('e');
  expect([...kept].sort()).toEqual(['a', 'c', 'd', 'e']);
  apps.release('a');
  apps.release('unknown');
  expect([...kept].sort()).toEqual(['c', 'd', 'e']);
});
