import type { Clock, JsonValue, Owner, UnsandboxedServers, ToolyardError } from '@toolyard/protocol';
import { isJsonObject, showHidden } from '@toolyard/protocol';
import type { SettingsRepository } from '@toolyard/storage';
import { createConflictError } from '../errors.ts';
import type { RunServers } from '../services.ts';

/** Settings key of the servers for which the owner confirmed mode `auto`. Written only here. */
const KEY = 'auto.unsandboxed';

/**
 * Mode `auto` runs calls without approval, and a server without a sandbox can read all files of its account. With such
 * servers the mode applies only if the owner confirmed it for each of them.
 */
export type AutoConfirmation = {
  /** `servers`: overrides of which servers are enabled. */
  view(principal: Owner, servers?: Readonly<Record<string, boolean>>): Promise<UnsandboxedServers>;
  confirm(principal: Owner, servers: readonly string[]): Promise<void>;
  /** @throws ToolyardError `conflict`, with the servers, if the body sets mode `auto` without confirmation */
  check(principal: Owner, body: JsonValue): Promise<void>;
};

export function createAutoConfirmation({
  settings,
  servers: { unsandboxed },
  clock,
}: {
  settings: Pick<SettingsRepository, 'get' | 'set'>;
  servers: Pick<RunServers, 'unsandboxed'>;
  clock: Clock;
}): AutoConfirmation {
  async function confirmed(principal: Owner): Promise<string[]> {
    const stored = await settings.get(principal, KEY);
    return Array.isArray(stored) ? stored.filter((id) => typeof id === 'string') : [];
  }

  async function view(principal: Owner, chosen?: Readonly<Record<string, boolean>>): Promise<UnsandboxedServers> {
    const servers = await unsandboxed(chosen);
    const known = servers.length === 0 ? [] : await confirmed(principal);
    return { servers, unconfirmed: servers.filter((id) => !known.includes(id)) };
  }

  return {
    view,
    async confirm(principal, servers) {
      const all = new Set([...(await confirmed(principal)), ...servers]);
      await settings.set(principal, KEY, [...all], clock.now());
    },
    async check(principal, body) {
      if (!setsAuto(body)) return;
      const { unconfirmed } = await view(principal, chosenIn(body));
      if (unconfirmed.length > 0) throw createNeedsConfirmationError(unconfirmed);
    },
  };
}

function listLayers(body: JsonValue): Record<string, JsonValue>[] {
  if (!isJsonObject(body)) return [];
  const { configuration } = body;
  return isJsonObject(configuration) ? [body, configuration] : [body];
}

function setsAuto(body: JsonValue): boolean {
  return listLayers(body).some(({ intervention }) => intervention === 'auto');
}

function chosenIn(body: JsonValue): Record<string, boolean> {
  const named = listLayers(body).flatMap(({ servers }) => (isJsonObject(servers) ? Object.entries(servers) : []));
  return Object.fromEntries(named.flatMap(([id, on]) => (typeof on === 'boolean' ? [[id, on]] : [])));
}

function createNeedsConfirmationError(servers: readonly string[]): ToolyardError {
  const names = servers.map((id) => `"${showHidden(id)}"`).join(', ');
  return createConflictError(
    `Approval mode "auto" runs calls without approval, and these servers run without a sandbox: ${names}. ` +
      'Nothing was changed.',
    'Confirm it first: in the settings of the page, with "toolyard mcp unsandboxed --confirm-auto", or ' +
      'with PUT /api/mcp/unsandboxed-servers.',
  );
}
