import { z } from 'zod';
import { MAX_CONCURRENT_CALLS } from '../mcp-api.ts';
import { errorInfo, jsonObject, named, namedObject, textTemplates } from './common.ts';
import { introduction, isolation, logLines, mcpPhase, offers, skipped, transportView } from './mcp-servers.ts';

/** Limit for names, URLs and arguments. */
const text = z.string().max(20_000);
const secret = z.union([
  text,
  /**
   * A value that may be a secret. A stored value is returned as `{ "secret": true }`, which keeps it unchanged when
   * sent back; a value that only refers to a secret (`${env:NAME}`, `Bearer ${env:NAME}`) is returned as it was
   * written.
   */
  z.strictObject({ secret: z.literal(true) }).describe('The stored value, which is not returned'),
]);
/**
 * A value that may be a secret. A stored value is returned as `{ "secret": true }`, which keeps it unchanged when sent
 * back; a value that only refers to a secret (`${env:NAME}`, `Bearer ${env:NAME}`) is returned as it was written.
 */
export type McpSecretValue = z.output<typeof secret>;
const secrets = z.record(z.string().min(1).max(300), secret);

const paths = z.array(text.min(1)).max(100);
const limit = z.number().min(1).max(1_000_000_000).exactOptional();
const limits = z.strictObject({
  /** Memory of all its processes, in MB. */
  memoryMb: limit,
  /** How many processes it may have. */
  processes: limit,
  /** Processor cores, on average over five minutes; above that its processes get the lowest priority. */
  cpuCores: limit,
  /** What it may write to disks within five minutes, in MB. */
  writtenMb: limit,
  /** The largest file it may write, in MB. */
  fileMb: limit,
});
/** How much of the machine a sandboxed local server may use; absent members have defaults. */
export type McpResourceLimits = z.output<typeof limits>;

const sandbox = z.strictObject({
  /** Files and folders that the server may read. */
  read: paths.exactOptional(),
  /** Folders that the server may write to. */
  write: paths.exactOptional(),
  /** Everything (the default), nothing, or HTTP(S) to these hosts: `example.com`, `*.example.com`, `example.com:8443`. */
  network: z.union([z.enum(['on', 'off']), z.array(z.string().min(1).max(300)).max(1_000)]).exactOptional(),
  /** `browser`: the server starts a browser. */
  profile: z.literal('browser').exactOptional(),
  limits: limits.exactOptional(),
});
/** What a sandboxed local server may reach beyond its own folders. */
export type McpSandbox = z.output<typeof sandbox>;

const transport = named(
  'McpTransport',
  z.discriminatedUnion('type', [
    z.strictObject({
      type: z.literal('stdio'),
      command: text.min(1),
      args: z.array(text).max(1_000).exactOptional(),
      env: secrets.exactOptional(),
      /** A file of `NAME=value` lines, as editors use it. */
      envFile: text.exactOptional(),
      cwd: text.exactOptional(),
      /** Absent: a new server gets the default (`true`), an existing one keeps its value. */
      sandbox: z.union([z.boolean(), sandbox]).exactOptional(),
    }),
    z.strictObject({
      type: z.enum(['http', 'sse', 'websocket']),
      url: text.min(1),
      headers: secrets.exactOptional(),
    }),
    z.strictObject({
      /** A server that a hosting service creates on demand. */
      type: z.literal('hosted'),
      service: z.literal('klavis'),
      /** The service's name for it, such as `Gmail`. */
      server: text.min(1),
      apiKey: secret,
      /** The user of the API key for whom the service creates it. */
      user: text.min(1).exactOptional(),
      /** Base URL of the service, unless it is the public one. */
      url: text.min(1).exactOptional(),
    }),
    z.strictObject({
      /** A legacy chat plugin. */
      type: z.literal('plugin'),
      /** The URL of its manifest or OpenAPI document. */
      url: text.min(1),
      /** The gateway for its calls, unless it is that of the manifest, or none. */
      gateway: text.min(1).exactOptional(),
      /** Settings in `mcp.json`; those stored by `PUT /api/mcp/servers/{id}/plugin` override them. */
      settings: secrets.exactOptional(),
    }),
  ]),
);
/** A transport as it is written in `mcp.json`: `${env:NAME}` is not replaced. */
export type McpTransport = z.output<typeof transport>;

const serverId = z
  .string()
  .regex(/^[^/\u0000-\u001f\u007f]{1,100}$/, 'expected 1 to 100 characters, no slash')
  .refine((id) => id.trim() === id, 'expected a name without spaces around it')
  .refine((id) => id !== '__proto__', 'expected another name: "__proto__" is reserved');

const timeout = z.int().min(100).max(86_400_000).nullable();
const processes = z.enum(['auto', 'one']).nullable();
const maxConcurrentCalls = z.int().min(1).max(MAX_CONCURRENT_CALLS).nullable();

const editable = {
  transport,
  enabled: z.boolean().exactOptional(),
  /** Tools by the server's own names; replaces the previous list. */
  disabledTools: z.array(z.string().min(1).max(1_000)).max(10_000).exactOptional(),
  /** Request timeout in milliseconds, restarted by progress; null: the default, 60,000. */
  callTimeoutMs: timeout.exactOptional(),
  /**
   * Connect timeout in milliseconds, until the tools are listed; null: the default (30,000; 300,000 for a launcher such
   * as `npx`).
   */
  connectTimeoutMs: timeout.exactOptional(),
  /** `one`: one connection for all conversations; null: the default, `auto`. */
  processes: processes.exactOptional(),
  /** Limit of concurrent calls; null: none. */
  maxConcurrentCalls: maxConcurrentCalls.exactOptional(),
};

export const editMcpServerBody = namedObject('EditMcpServer', editable);
/** Changes to a server. */
export type EditMcpServer = z.output<typeof editMcpServerBody>;
export const addMcpServerBody = namedObject('AddMcpServer', { id: serverId, ...editable });
export type AddMcpServer = z.output<typeof addMcpServerBody>;

export const mcpServerConfiguration = namedObject('McpServerConfiguration', {
  id: z.string(),
  /** Null if the entry is invalid; `fault` says why. */
  transport: transport.nullable(),
  fault: z.strictObject({ line: z.int(), message: z.string() }).exactOptional(),
  enabled: z.boolean(),
  disabledTools: z.array(z.string()),
  callTimeoutMs: timeout,
  connectTimeoutMs: timeout,
  processes,
  maxConcurrentCalls,
});
/** A server's entry in `mcp.json`, for an editor. */
export type McpServerConfiguration = z.output<typeof mcpServerConfiguration>;

export const mcpPlugin = namedObject('McpPlugin', {
  title: z.string(),
  kind: z.enum(['default', 'markdown', 'standalone']),
  /** What its URL names. */
  source: z.enum(['manifest', 'openapi']),
  description: z.string().exactOptional(),
  homepage: z.string().exactOptional(),
  /** URL of the MCP server that replaces it, if its manifest names one. */
  mcpUrl: z.string().exactOptional(),
  /** What was left out of its documents, and why. */
  notes: z.array(z.string()),
  /** JSON Schema of its settings; null if it has none. */
  schema: jsonObject.nullable(),
  /** The stored settings that may be shown. */
  values: jsonObject,
  /** The names of stored settings that are never returned: every free text. */
  secrets: z.array(z.string()),
});
/** A legacy plugin and its settings, without secrets. */
export type McpPlugin = z.output<typeof mcpPlugin>;

export const setMcpPluginBody = namedObject('SetMcpPlugin', {
  /** Replaces the stored settings. A secret that is left out is kept; an empty one is deleted. */
  values: jsonObject,
});
/** The settings of a legacy plugin. */
export type SetMcpPlugin = z.output<typeof setMcpPluginBody>;

export const testMcpServerBody = namedObject('TestMcpServer', {
  id: z.string().min(1).max(300).exactOptional(),
  transport: transport.exactOptional(),
});
/**
 * Tests a connection without changing running servers or storing anything: to the configured server of this id, to this
 * transport, or to this transport with the stored secrets of that server.
 */
export type TestMcpServer = z.output<typeof testMcpServerBody>;

export const mcpTestReport = namedObject('McpTestReport', {
  ...introduction,
  ok: z.boolean(),
  transport: transportView,
  /** Time until the tools are listed, or until the failure. */
  durationMs: z.int(),
  /** The phases with their durations. */
  phases: z.array(z.strictObject({ phase: mcpPhase, durationMs: z.int() })),
  offers,
  /** Estimated tokens of all tool definitions, in every request. */
  tokens: z.int(),
  /** The tools, most expensive first. */
  tools: z.array(
    z.strictObject({
      name: z.string(),
      title: z.string().exactOptional(),
      tokens: z.int(),
      readOnly: z.boolean(),
    }),
  ),
  skipped,
  /** How a local server was isolated. */
  isolation: isolation.exactOptional(),
  findings: z.array(
    z.strictObject({
      /** `warning`: something will not work, or is expensive; `note`: could be improved. */
      level: z.enum(['warning', 'note']),
      /** The tool, prompt or resource. */
      about: z.string().exactOptional(),
      text: z.string(),
      templates: textTemplates.exactOptional(),
    }),
  ),
  error: errorInfo.exactOptional(),
  log: logLines,
});
export type McpTestReport = z.output<typeof mcpTestReport>;
/** A finding that users or authors of the server should know. */
export type McpFinding = McpTestReport['findings'][number];
