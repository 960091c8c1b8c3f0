import { z } from 'zod';
import { MAX_CONCURRENT_CALLS } from '../mcp-api.ts';
import { errorInfo, named } from './common.ts';
import { introduction, logLines, mcpPhase, offers, skipped, transportView } from './mcp-servers.ts';

/** Longer is no name, address or argument anybody writes. */
const text = z.string().max(20_000);
const secret = z.union([
  text,
  /**
   * A value that may be a secret. What is stored is told as `{ "secret": true }`, and sent back so it stays what it is;
   * one that only refers to a secret (`${env:NAME}`, `Bearer ${env:NAME}`) is told as it is written.
   */
  z.strictObject({ secret: z.literal(true) }).describe('The stored value, which is not told'),
]);
/**
 * A value that may be a secret. What is stored is told as `{ "secret": true }`, and sent back so it stays what it is;
 * one that only refers to a secret (`${env:NAME}`, `Bearer ${env:NAME}`) is told as it is written.
 */
export type McpSecretValue = z.output<typeof secret>;
const secrets = z.record(z.string().min(1).max(300), secret);

const paths = z.array(text.min(1)).max(100);
const sandbox = z.strictObject({
  /** Files and folders it may read. */
  read: paths.exactOptional(),
  /** Folders it may change. */
  write: paths.exactOptional(),
  /** Everything (the default), nothing, or HTTP(S) to these hosts: `example.com`, `*.example.com`, `example.com:8443`. */
  network: z.union([z.enum(['on', 'off']), z.array(z.string().min(1).max(300)).max(1_000)]).exactOptional(),
  /** `browser`: the server starts a browser. */
  profile: z.literal('browser').exactOptional(),
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
      /** A file of `NAME=value` lines, as editors have it. */
      envFile: text.exactOptional(),
      cwd: text.exactOptional(),
      /** Absent: a new server gets the default (`true`), one that is changed keeps what it has. */
      sandbox: z.union([z.boolean(), sandbox]).exactOptional(),
    }),
    z.strictObject({
      type: z.enum(['http', 'sse', 'websocket']),
      url: text.min(1),
      headers: secrets.exactOptional(),
    }),
    z.strictObject({
      /** A service makes it when it is wanted. */
      type: z.literal('hosted'),
      service: z.literal('klavis'),
      /** As the service calls it, such as `Gmail`. */
      server: text.min(1),
      apiKey: secret,
      /** For whom of the key's users it is made. */
      user: text.min(1).exactOptional(),
      /** Where the service is, if it is not the public one. */
      url: text.min(1).exactOptional(),
    }),
  ]),
);
/** A transport as `mcp.json` has it: `${env:NAME}` stands as it was written. */
export type McpTransport = z.output<typeof transport>;

const serverId = z
  .string()
  .regex(/^[^/\u0000-\u001f\u007f]{1,100}$/, 'expected 1 to 100 characters, no slash')
  .refine((id) => id.trim() === id, 'expected a name without spaces around it')
  .refine((id) => id !== '__proto__', 'expected another name, this one is taken');

const timeout = z.int().min(100).max(86_400_000).nullable();
const processes = z.enum(['auto', 'one']).nullable();
const maxConcurrentCalls = z.int().min(1).max(MAX_CONCURRENT_CALLS).nullable();

const editable = {
  transport,
  enabled: z.boolean().exactOptional(),
  /** By the server's own names; the list takes the place of the one before. */
  disabledTools: z.array(z.string().min(1).max(1_000)).max(10_000).exactOptional(),
  /** Milliseconds a call may take without a sign of progress; null: the usual 60,000. */
  callTimeoutMs: timeout.exactOptional(),
  /** Milliseconds from nothing to a listed server; null: the default (30,000; 300,000 for a launcher such as `npx`). */
  connectTimeoutMs: timeout.exactOptional(),
  /** `one`: one connection for all conversations; null: the default, `auto`. */
  processes: processes.exactOptional(),
  /** How many calls may be in flight at once; null: no limit. */
  maxConcurrentCalls: maxConcurrentCalls.exactOptional(),
};

export const editMcpServerBody = named('EditMcpServer', z.strictObject(editable));
/** What an editor changes of a server. */
export type EditMcpServer = z.output<typeof editMcpServerBody>;
export const addMcpServerBody = named('AddMcpServer', z.strictObject({ id: serverId, ...editable }));
export type AddMcpServer = z.output<typeof addMcpServerBody>;

export const mcpServerConfiguration = named(
  'McpServerConfiguration',
  z.strictObject({
    id: z.string(),
    /** Null where the entry cannot be read: `fault` says why. */
    transport: transport.nullable(),
    fault: z.strictObject({ line: z.int(), message: z.string() }).exactOptional(),
    enabled: z.boolean(),
    disabledTools: z.array(z.string()),
    callTimeoutMs: timeout,
    connectTimeoutMs: timeout,
    processes,
    maxConcurrentCalls,
  }),
);
/** A server as it stands in `mcp.json`, for an editor. */
export type McpServerConfiguration = z.output<typeof mcpServerConfiguration>;

export const testMcpServerBody = named(
  'TestMcpServer',
  z.strictObject({ id: z.string().min(1).max(300).exactOptional(), transport: transport.exactOptional() }),
);
/**
 * Connects beside the servers that run, and stores nothing: to the server of this id as it is configured, to this
 * transport, or to the transport with the stored secrets of that server.
 */
export type TestMcpServer = z.output<typeof testMcpServerBody>;

export const mcpTestReport = named(
  'McpTestReport',
  z.strictObject({
    ...introduction,
    ok: z.boolean(),
    transport: transportView,
    /** From nothing to a listed server, or to the failure. */
    durationMs: z.int(),
    /** Each phase with how long it took. */
    phases: z.array(z.strictObject({ phase: mcpPhase, durationMs: z.int() })),
    offers,
    /** Estimated cost of all tool definitions in every request. */
    tokens: z.int(),
    /** The tools, the most costly first. */
    tools: z.array(
      z.strictObject({
        name: z.string(),
        title: z.string().exactOptional(),
        tokens: z.int(),
        readOnly: z.boolean(),
      }),
    ),
    skipped,
    findings: z.array(
      z.strictObject({
        /** `warning`: something will not work, or costs; `note`: could be better. */
        level: z.enum(['warning', 'note']),
        /** The tool, prompt or resource it is about. */
        about: z.string().exactOptional(),
        text: z.string(),
      }),
    ),
    error: errorInfo.exactOptional(),
    log: logLines,
  }),
);
export type McpTestReport = z.output<typeof mcpTestReport>;
/** Something about a server that its users or its author should know. */
export type McpFinding = McpTestReport['findings'][number];
