import { ToolyardError } from '@toolyard/protocol';
import type { BrowserServerEntry } from './server-entries.ts';
import { checkHeader, checkServerUrl } from './server-entries.ts';
import type { BrowserServerDraft } from './types.ts';

/** A draft as stored: the entry, and the secrets that last only for the session of the tab. */
export function storeServerDraft(
  id: string,
  draft: BrowserServerDraft,
): { entry: BrowserServerEntry; secrets: Record<string, string> } {
  checkDraft(draft);
  const { name, transport, url, headers, enabled, useProxy, keepSecrets } = draft;
  const names = Object.keys(headers).map((header): [string, null] => [header, null]);
  const storedHeaders = keepSecrets ? headers : Object.fromEntries(names);
  return {
    entry: {
      id,
      name: name.trim(),
      transport,
      url: url.trim(),
      headers: storedHeaders,
      enabled,
      useProxy,
      ...(keepSecrets ? { keepSecrets } : {}),
    },
    secrets: keepSecrets ? {} : headers,
  };
}

/** A server as shown in an editor; values of headers unknown to this tab are empty. */
export function storedServerDraft(
  entry: BrowserServerEntry,
  secrets: Readonly<Record<string, string>>,
): BrowserServerDraft {
  const { name, transport, url, headers, enabled, useProxy } = entry;
  const values = Object.entries(headers).map(([header, value]): [string, string] => [
    header,
    value ?? secrets[header] ?? '',
  ]);
  const isAllKept = values.length > 0 && Object.values(headers).every((value) => value !== null);
  const keepSecrets = entry.keepSecrets ?? isAllKept;
  return { name, transport, url, headers: Object.fromEntries(values), enabled, useProxy, keepSecrets };
}

/** @throws ToolyardError `bad_config` for an unsupported transport or an invalid URL */
export function checkDraft({ name, transport, url, headers }: BrowserServerDraft): void {
  const problem =
    (name.trim() === '' ? 'The server has no name.' : null) ??
    checkServerUrl(url.trim(), transport) ??
    Object.entries(headers)
      .map(([header, value]) => checkHeader(header, value))
      .find((found) => found !== null);
  if (problem != null) throw new ToolyardError({ code: 'bad_config', message: problem });
}
