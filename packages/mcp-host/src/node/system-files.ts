import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** What is read of a process or a path may be gone at any time, or not shown by the system. */
export function tryTo<T>(get: () => T, otherwise: T): T {
  try {
    return get();
  } catch {
    return otherwise;
  }
}

export function readIfThere(path: string): string | undefined {
  return tryTo(() => readFileSync(path, 'utf8'), undefined);
}

export function readText(path: string): string {
  return readIfThere(path) ?? '';
}

export function linkIn(path: string): string {
  return tryTo(() => readlinkSync(path), '');
}

export function namesIn(folder: string): string[] {
  return tryTo(() => readdirSync(folder), []);
}
