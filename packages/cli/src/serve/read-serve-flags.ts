import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { JsonObject } from '@toolyard/protocol';
import { isJsonObject, parseJson } from '@toolyard/protocol';
import type { ServeFlag, ServeValues } from '@toolyard/server/serve-flags';
import { serveFlags } from '@toolyard/server/serve-flags';
import { createConfigError } from '../errors.ts';

/** Flags as commander gives them, by their names without dashes: `ui-config`. */
export type GivenFlags = Readonly<Record<string, unknown>>;

export type FlagSources = {
  flags: GivenFlags;
  env: NodeJS.ProcessEnv;
  /** Relative paths start here. */
  cwd: string;
  /** Prints a deprecation warning. */
  warn: (line: string) => void;
};

/** A value with the name of the flag or variable that it comes from. */
type Found = { value: unknown; name: string };

/**
 * Reads the flags of `toolyard serve` and their variables, without defaults. Flags take precedence over variables.
 *
 * @throws ToolyardError `bad_config` that names the flag or variable at fault
 */
export function readServeFlags(sources: FlagSources): ServeValues {
  const values = serveFlags().flatMap(([name, flag]) => {
    const found = findValue(flag, sources);
    return found === null ? [] : [[name, readValue(flag, found, sources)]];
  });
  // `readValue` returns the type that the kind of the row implies.
  return Object.fromEntries(values) as ServeValues;
}

function findValue({ flag, env, aliases }: ServeFlag, { flags, env: variables, warn }: FlagSources): Found | null {
  if (flags[flag] !== undefined) return { value: flags[flag], name: `--${flag}` };
  if (env === undefined) return null;
  const name = [env, ...(aliases?.env ?? [])].find((each) => !isBlank(variables[each] ?? ''));
  if (name === undefined) return null;
  if (name !== env) warn(`${name} is deprecated; use ${env}.`);
  return { value: variables[name], name };
}

function readValue(flag: ServeFlag, found: Found, sources: FlagSources): unknown {
  if (flag.kind === 'boolean') return readBoolean(found);
  if (flag.kind === 'list') return found.value;
  // `--no-<flag>` of a flag with a value.
  if (found.value === false) return null;
  const { name } = found;
  const text = String(found.value);
  if (isBlank(text)) throw createConfigError(`${name} is empty.`, 'Set a value, or remove it.');
  switch (flag.kind) {
    case 'text':
      return text;
    case 'integer': {
      const { min, max, hint } = flag;
      const value = Number(text);
      if (Number.isInteger(value) && value >= min && value <= max) return value;
      throw createConfigError(`${name} must be a whole number from ${min} to ${max} (got "${text}").`, hint);
    }
    case 'enum':
      if (flag.options.includes(text)) return text;
      throw createConfigError(`${name} must be one of ${flag.options.join(', ')} (got "${text}").`, flag.hint);
    case 'json':
      return readObject(text, name);
    case 'json-file':
      return readObject(readText(resolve(sources.cwd, text), name), `${name} ${text}`);
  }
}

const TRUE = new Set(['1', 'true', 'on', 'yes', 'enabled']);
const FALSE = new Set(['0', 'false', 'off', 'no', 'disabled']);

function readBoolean({ value, name }: Found): boolean {
  if (typeof value === 'boolean') return value;
  const text = String(value);
  const word = text.trim().toLowerCase();
  if (TRUE.has(word)) return true;
  if (FALSE.has(word)) return false;
  throw createConfigError(`${name} must be on or off (got "${text}").`, `For example ${name}=on`);
}

function readObject(text: string, where: string): JsonObject {
  const parsed = parseJson(text);
  if (parsed.ok && isJsonObject(parsed.value)) return parsed.value;
  const problem = parsed.ok ? 'not an object' : parsed.problem;
  throw createConfigError(`${where}: invalid JSON: ${problem}.`, 'Pass an object, such as {"theme":"dark"}.');
}

function readText(path: string, name: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason';
    throw createConfigError(
      code === 'ENOENT' ? `${name}: file not found: ${path}` : `${name}: cannot read ${path} (${code}).`,
    );
  }
}

function isBlank(text: string): boolean {
  return text.trim() === '';
}
