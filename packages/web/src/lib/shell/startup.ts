import { i18n } from '../i18n/i18n.svelte.ts';
import type { OperatorSettings } from '../settings/operator-settings.ts';
import { readOperatorSettings } from '../settings/operator-settings.ts';
import { session } from '../state/session.svelte.ts';

let begun: Promise<OperatorSettings> | undefined;

/**
 * Sends the requests that the first view waits for, in parallel and before its modules are loaded: who is signed in, and
 * the operator's settings. Never rejects.
 */
export function startUp(): Promise<OperatorSettings> {
  return (begun ??= begin());
}

async function begin(): Promise<OperatorSettings> {
  i18n.preload();
  // The operator's settings are sent only to signed-in users.
  await session.useAddress();
  const [operatorSettings] = await Promise.all([readOperatorSettings(), session.check()]);
  return operatorSettings;
}
