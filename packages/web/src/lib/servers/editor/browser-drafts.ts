import type { BrowserServerDraft } from '../../mcp/types.ts';
import { detectTransportType } from './read-snippet.ts';
import type { ServerFields } from './server-form.ts';
import { EMPTY, formRow } from './server-form.ts';

/** The form of a server of this browser. */
export function fieldsOfBrowser(draft: BrowserServerDraft): ServerFields {
  const { name, transport, url, headers, useProxy, keepSecrets } = draft;
  return {
    ...EMPTY,
    id: name,
    kind: 'remote',
    url,
    useSse: transport === 'sse',
    headers: Object.entries(headers).map(([header, value]) => formRow(header, value)),
    place: 'browser',
    proxy: useProxy,
    keepSecrets,
  };
}

export function toBrowserDraft(fields: ServerFields, enabled: boolean): BrowserServerDraft {
  const url = fields.url.trim();
  const headers = fields.headers.filter(({ name }) => name.trim() !== '');
  return {
    name: fields.id.trim(),
    transport: detectTransportType(url, fields.useSse ? 'sse' : 'http') ?? 'http',
    url,
    headers: Object.fromEntries(headers.map(({ name, value }) => [name.trim(), value])),
    enabled,
    useProxy: fields.proxy,
    keepSecrets: fields.keepSecrets,
  };
}
