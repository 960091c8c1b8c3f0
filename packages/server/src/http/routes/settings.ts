import { agentConfiguration } from '@toolyard/protocol/schemas';
import { readStoredConfiguration } from '../../config/agent-configuration.ts';
import { DEFAULTS_KEY } from '../../config/raised-budget.ts';
import { requireScope } from '../auth/scopes.ts';
import { plainZodError } from '../transport/plain-zod-error.ts';
import { validationError, notFound, quoted, refusal } from '../problems.ts';
import type { Router } from '../transport/router.ts';
import type { HttpAppOptions } from '../types.ts';

/** Prefix that separates the page's settings from keys that the server uses. */
const PAGE_PREFIX = 'page:';
const MAX_VALUE_LENGTH = 65_536;

export function addSettingsRoutes({ route }: Router, { storage, hub, clock }: HttpAppOptions): void {
  const { settings } = storage;

  route('GET /api/settings', async ({ principal }) => {
    const all = await settings.all(principal);
    const ofPage = [...all].flatMap(([key, value]) =>
      key.startsWith(PAGE_PREFIX) ? [[key.slice(PAGE_PREFIX.length), value] as const] : [],
    );
    return { ...Object.fromEntries(ofPage), defaults: readStoredConfiguration(all.get(DEFAULTS_KEY)) };
  });

  route('PUT /api/settings/{key}', async ({ principal, params: { key }, body }) => {
    if (key === DEFAULTS_KEY) {
      // Defaults contain approval mode, rules and budgets.
      requireScope(principal, 'approve');
      const parsed = agentConfiguration.safeParse(body, { error: plainZodError });
      if (!parsed.success) throw validationError(parsed.error, 'body');
    } else if (JSON.stringify(body).length > MAX_VALUE_LENGTH) {
      throw refusal({ code: 'too_large', message: `The value exceeds the limit of ${MAX_VALUE_LENGTH} characters.` });
    }
    await settings.set(principal, storedKey(key), body, clock.now());
    hub.changed(principal.ownerId, 'settings', key);
    return body;
  });

  route('DELETE /api/settings/{key}', async ({ principal, params: { key } }) => {
    if (key === DEFAULTS_KEY) requireScope(principal, 'approve');
    if (!(await settings.remove(principal, storedKey(key)))) throw notFound('setting', key);
    hub.changed(principal.ownerId, 'settings', key);
  });
}

function storedKey(key: string): string {
  if (key === DEFAULTS_KEY) return key;
  if (/^[A-Za-z][A-Za-z0-9_.-]{0,99}$/.test(key)) return PAGE_PREFIX + key;
  throw refusal({
    code: 'bad_request',
    message: `${quoted(key)} is not a valid setting name.`,
    hint: 'Start with a letter, followed by letters, digits and . _ -',
  });
}
