import type { JsonValue, McpSandbox } from '@toolyard/protocol';
import { isJsonObject } from '@toolyard/protocol';
import { readLimits } from '../host/resource-limits.ts';
import { createConfigError } from '../values/config-error.ts';

/** What a sandboxed stdio server may access beyond its own folders: `"sandbox"` of its entry in `mcp.json`. */
export type SandboxSettings = McpSandbox;

const KEYS = ['read', 'write', 'network', 'profile', 'limits'];

/**
 * Reads `"sandbox"` of an entry: `false` (or absent) runs the server without a sandbox, `true` with the defaults.
 *
 * @throws ToolyardError `bad_config` beginning with `where`, also for an unknown key: a misspelt limit must not start a
 * server without it
 */
export function readSandbox(value: JsonValue | undefined, where: string): SandboxSettings | false | undefined {
  if (value === undefined || value === null) return undefined;
  if (value === false) return false;
  if (value === true) return {};
  if (!isJsonObject(value)) throw createConfigError(`${where}: "sandbox" must be true, false or an object.`);
  for (const key of Object.keys(value)) {
    if (KEYS.includes(key)) continue;
    throw createConfigError(
      `${where}: "sandbox" has an unknown key ${JSON.stringify(key.slice(0, 80))}.`,
      `Known keys: ${KEYS.join(', ')}.`,
    );
  }
  const { read, write, network, profile, limits } = value;
  if (profile !== undefined && profile !== 'browser') {
    throw createConfigError(`${where}: "sandbox.profile" must be "browser" (got ${shown(profile)}).`);
  }
  return {
    ...(read === undefined ? {} : { read: textsIn(read, 'read', where) }),
    ...(write === undefined ? {} : { write: textsIn(write, 'write', where) }),
    ...(network === undefined ? {} : { network: networkIn(network, where) }),
    ...(profile === undefined ? {} : { profile }),
    ...(limits === undefined ? {} : { limits: readLimits(limits, where) }),
  };
}

function textsIn(value: JsonValue, key: string, where: string): string[] {
  if (Array.isArray(value) && value.every((one) => typeof one === 'string' && one.trim() !== '')) {
    return value.filter((one) => typeof one === 'string');
  }
  throw createConfigError(`${where}: "sandbox.${key}" must be a list of paths (got ${shown(value)}).`);
}

const HOST = /^(\*\.)?([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)*[a-z0-9]([a-z0-9-]*[a-z0-9])?(:\d{1,5})?$/i;

function networkIn(value: JsonValue, where: string): NonNullable<SandboxSettings['network']> {
  if (value === 'on' || value === 'off') return value;
  if (!Array.isArray(value)) {
    throw createConfigError(
      `${where}: "sandbox.network" must be "on", "off" or a list of hosts (got ${shown(value)}).`,
    );
  }
  return value.map((host) => {
    if (typeof host === 'string' && HOST.test(host)) return host.toLowerCase();
    throw createConfigError(
      `${where}: "sandbox.network" has ${shown(host)}, which is not a host.`,
      'Write example.com, *.example.com or example.com:8443, without https:// and path.',
    );
  });
}

/**
 * An entry with `"Sandbox"` or `"sandboxed"` would otherwise start without a sandbox. @throws ToolyardError
 * `bad_config`
 */
export function rejectMisspeltSandbox(keys: readonly string[], where: string): void {
  const key = keys.find((name) => name !== 'sandbox' && /^sand[-_ ]?box/i.test(name));
  if (key === undefined) return;
  throw createConfigError(`${where} has an unknown key ${JSON.stringify(key)}.`, 'Write "sandbox".');
}

function shown(value: JsonValue): string {
  return JSON.stringify(value).slice(0, 80);
}
