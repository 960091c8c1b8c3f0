import type {
  AddMcpServer,
  EditMcpServer,
  McpServerConfiguration,
  McpTestReport,
  McpTransport,
  TestMcpServer,
} from '@toolyard/protocol';
import { MAX_CONCURRENT_CALLS } from '@toolyard/protocol';
import { z } from 'zod';
import { errorInfo, named } from './common.ts';
import { exactly } from './exactly.ts';
import { introduction, logLines, mcpPhase, offers, skipped, transportView } from './mcp-servers.ts';

/** Longer is no name, address or argument anybody writes. */
const text = z.string().max(20_000);
const secret = z.union([
  text,
  z.strictObject({ secret: z.literal(true) }).describe('The stored value, which is not told'),
]);
const secrets = z.record(z.string().min(1).max(300), secret);

const paths = z.array(text.min(1)).max(100);
const sandbox = z.strictObject({
  read: paths.exactOptional(),
  write: paths.exactOptional(),
  network: z.union([z.enum(['on', 'off']), z.array(z.string().min(1).max(300)).max(1_000)]).exactOptional(),
  profile: z.literal('browser').exactOptional(),
});

const transport = named(
  'McpTransport',
  exactly<McpTransport>()(
    z.discriminatedUnion('type', [
      z.strictObject({
        type: z.literal('stdio'),
        command: text.min(1),
        args: z.array(text).max(1_000).exactOptional(),
        env: secrets.exactOptional(),
        envFile: text.exactOptional(),
        cwd: text.exactOptional(),
        sandbox: z.union([z.boolean(), sandbox]).exactOptional(),
      }),
      z.strictObject({
        type: z.enum(['http', 'sse', 'websocket']),
        url: text.min(1),
        headers: secrets.exactOptional(),
      }),
      z.strictObject({
        type: z.literal('hosted'),
        service: z.literal('klavis'),
        server: text.min(1),
        apiKey: secret,
        user: text.min(1).exactOptional(),
        url: text.min(1).exactOptional(),
      }),
    ]),
  ),
);

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
  disabledTools: z.array(z.string().min(1).max(1_000)).max(10_000).exactOptional(),
  callTimeoutMs: timeout.exactOptional(),
  connectTimeoutMs: timeout.exactOptional(),
  processes: processes.exactOptional(),
  maxConcurrentCalls: maxConcurrentCalls.exactOptional(),
};

export const editMcpServer = named('EditMcpServer', exactly<EditMcpServer>()(z.strictObject(editable)));
export const addMcpServer = named(
  'AddMcpServer',
  exactly<AddMcpServer>()(z.strictObject({ id: serverId, ...editable })),
);

export const mcpServerConfiguration = named(
  'McpServerConfiguration',
  exactly<McpServerConfiguration>()(
    z.strictObject({
      id: z.string(),
      transport: transport.nullable(),
      fault: z.strictObject({ line: z.int(), message: z.string() }).exactOptional(),
      enabled: z.boolean(),
      disabledTools: z.array(z.string()),
      callTimeoutMs: timeout,
      connectTimeoutMs: timeout,
      processes,
      maxConcurrentCalls,
    }),
  ),
);

export const testMcpServer = named(
  'TestMcpServer',
  exactly<TestMcpServer>()(
    z.strictObject({ id: z.string().min(1).max(300).exactOptional(), transport: transport.exactOptional() }),
  ),
);

export const mcpTestReport = named(
  'McpTestReport',
  exactly<McpTestReport>()(
    z.strictObject({
      ...introduction,
      ok: z.boolean(),
      transport: transportView,
      durationMs: z.int(),
      phases: z.array(z.strictObject({ phase: mcpPhase, durationMs: z.int() })),
      offers,
      tokens: z.int(),
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
        z.strictObject({ level: z.enum(['warning', 'note']), about: z.string().exactOptional(), text: z.string() }),
      ),
      error: errorInfo.exactOptional(),
      log: logLines,
    }),
  ),
);
