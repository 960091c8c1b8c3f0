import type { McpTestReport } from '@toolyard/protocol';
import type { BrowserServerDraft, BrowserServerTest } from '../../mcp/types.ts';
import { phaseSteps } from '../detail/phase-steps.ts';
import { wireOf } from './read-snippet.ts';
import type { ServerFields } from './server-form.ts';
import { EMPTY, formRow } from './server-form.ts';

/** The form of a server of this browser. */
export function fieldsOfBrowser(draft: BrowserServerDraft): ServerFields {
  const { name, transport, url, headers, useProxy, keepSecrets } = draft;
  return {
    ...EMPTY,
    id: name,
    kind: 'address',
    url,
    olderWire: transport === 'sse',
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
    transport: wireOf(url, fields.olderWire ? 'sse' : 'http') ?? 'http',
    url,
    headers: Object.fromEntries(headers.map(({ name, value }) => [name.trim(), value])),
    enabled,
    useProxy: fields.proxy,
    keepSecrets: fields.keepSecrets,
  };
}

/** What an attempt of this tab led to, told as the server tells its own. */
export function browserReport(draft: BrowserServerDraft, { health, tools, advice }: BrowserServerTest): McpTestReport {
  const { serverInfo, era, protocolVersion, instructions, capabilities, error } = health;
  const phases = phaseSteps(health.phases).map(({ phase, ms }) => ({ phase, durationMs: ms ?? 0 }));
  const costs = tools
    .map(({ tool, title, annotations, description, inputSchema }) => ({
      name: tool.name,
      ...(title === undefined ? {} : { title }),
      tokens: Math.ceil(JSON.stringify({ name: tool.name, description, inputSchema }).length / 4),
      readOnly: annotations?.readOnly === true,
    }))
    .sort((a, b) => b.tokens - a.tokens);
  return {
    ok: health.state === 'ready',
    transport: { type: draft.transport, url: draft.url },
    durationMs: phases.reduce((sum, { durationMs }) => sum + durationMs, 0),
    phases,
    offers: {
      tools: tools.length,
      ...(health.resourceCount === undefined ? {} : { resources: health.resourceCount }),
      ...(health.promptCount === undefined ? {} : { prompts: health.promptCount }),
    },
    tokens: costs.reduce((sum, { tokens }) => sum + tokens, 0),
    tools: costs,
    skipped: health.skipped,
    findings: advice.map((text) => ({ level: 'warning', text })),
    log: health.log,
    ...(serverInfo === undefined ? {} : { serverInfo }),
    ...(era === undefined ? {} : { era }),
    ...(protocolVersion === undefined ? {} : { protocolVersion }),
    ...(instructions === undefined ? {} : { instructions }),
    ...(capabilities === undefined ? {} : { capabilities }),
    ...(error === undefined ? {} : { error }),
  };
}
