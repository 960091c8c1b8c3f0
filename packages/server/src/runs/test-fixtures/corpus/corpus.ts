import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Recording } from './recording.ts';
import { fromLines } from './recording.ts';

/** Recorded runs, one folder per format of their rows: `v1`, `v2`, ... */
export const CORPUS = fileURLToPath(new URL('../../../../corpus', import.meta.url));

/** A hash of the types of stored data when a folder was recorded. */
export const SHAPE_FILE = 'shape.txt';

/** The settings that any recorded version could store, in the format of `settingLines`. */
const SETTINGS_FILE = join(CORPUS, 'settings.txt');

export function recordedSettings(): string[] {
  return readFileSync(SETTINGS_FILE, 'utf8').trimEnd().split('\n');
}

/** Adds new settings; removes none, because rows of earlier versions may contain them. */
export function recordSettings(lines: readonly string[]): void {
  writeFileSync(SETTINGS_FILE, [...new Set([...recordedSettings(), ...lines])].join('\n') + '\n');
}

/** Oldest first. */
export function versions(): string[] {
  const names = existsSync(CORPUS) ? readdirSync(CORPUS).filter((name) => /^v\d+$/.test(name)) : [];
  return names.sort((a, b) => Number(a.slice(1)) - Number(b.slice(1)));
}

export function listRecordings(version: string): Recording[] {
  const files = readdirSync(join(CORPUS, version)).filter((name) => name.endsWith('.jsonl'));
  return files.sort().map((name) => fromLines(readFileSync(join(CORPUS, version, name), 'utf8')));
}

export function readShape(version: string): string {
  return readFileSync(join(CORPUS, version, SHAPE_FILE), 'utf8');
}
