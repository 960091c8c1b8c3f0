import { appendFileSync, existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FunctionToolGroup } from '@toolyard/agent-host';
import { ASK_USER_TOOLS, GROUP_TOOLS, SUB_AGENT_TOOLS, tool } from '@toolyard/agent-host';
import type { ServerConfig } from '@toolyard/mcp-host';
import type { RunningServer, ServerOptions } from '@toolyard/server';
import { startServer } from '@toolyard/server';
import { LONG_TIMEOUTS, serverOptions } from './server-options.ts';
import { withFailpoints } from './failpoint-storage.ts';

export type Role = NonNullable<ServerOptions['role']>;

/** A database that several servers share. */
export type LivesDatabase = { url: string; notify?: boolean };

/** How a server under test is started, in a process of its own or in that of the test; plain JSON. */
export type TestServerSettings = {
  dataDir: string;
  servers: readonly ServerConfig[];
  env: Readonly<Record<string, string>>;
  database?: LivesDatabase;
  role?: Role;
  /** Every call of the storage is a failpoint, too. */
  everyCall?: boolean;
  /** The model may ask the user. */
  askUser?: boolean;
  /** The model may delegate tasks to sub-agents. */
  delegates?: boolean;
  /** The model may call `reserve`, a function tool that appends what it does to this file. */
  reserveFile?: string;
  /** With the built-in tools that need a server. */
  serverTools?: boolean;
  /** Default: that of the product. */
  leaseMs?: number;
  /** Timeout for calls when the server is closed, in milliseconds; default: a minute. */
  lastCallsMs?: number;
  /** The names of the failpoints passed are appended here, one per line. */
  passedFile: string;
  /** While this file exists, tool calls are stored as sent and not executed. */
  heldFile: string;
};

const POLL_MS = 20;
/** Tests set the leases of killed processes to expired: the next process need not wait before it checks them. */
const CLAIM_EXPIRED_EVERY_MS = 300;
/** Of keys derived from TOOLYARD_SECRET: the default cost takes a tenth of a second at each start. */
const SCRYPT_COST = 2 ** 10;

/** Starts it. `onPlace` is called at each failpoint before its other effects. */
export function startTestServer(
  settings: TestServerSettings,
  { onPlace = () => undefined, log }: { onPlace?: (name: string) => void; log: (line: string) => void },
): Promise<RunningServer> {
  const { dataDir, servers, env, database, role, everyCall, askUser, reserveFile, passedFile, heldFile } = settings;
  const { serverTools, leaseMs, lastCallsMs, delegates } = settings;

  function failpoint(name: string): void | Promise<void> {
    appendFileSync(passedFile, `${name}\n`);
    onPlace(name);
    return name === 'run:sent' && existsSync(heldFile) ? untilReleased(heldFile) : undefined;
  }

  return startServer(
    {
      ...serverOptions({
        dataDir,
        functionTools: [
          ...(askUser === true ? [ASK_USER_TOOLS] : []),
          ...(delegates === true ? [SUB_AGENT_TOOLS, GROUP_TOOLS] : []),
          ...(reserveFile === undefined ? [] : [reserving(reserveFile)]),
        ],
        servers: [...servers],
        env,
        ...(database && { databaseUrl: database.url, databaseNotify: database.notify ?? true }),
        // A worker has no API: its metrics show its state.
        ...(role && { role, metrics: true }),
        log,
      }),
      ...(serverTools === true && { hasServerTools: true }),
    },
    {
      ...LONG_TIMEOUTS,
      failpoint,
      scryptCost: SCRYPT_COST,
      claimExpiredEveryMs: CLAIM_EXPIRED_EVERY_MS,
      ...(leaseMs !== undefined && { leaseMs }),
      ...(lastCallsMs !== undefined && { lastCallsMs }),
      ...(everyCall === true && { watchStorage: (storage) => withFailpoints(storage, failpoint) }),
    },
  );
}

async function untilReleased(heldFile: string): Promise<void> {
  while (existsSync(heldFile)) await sleep(POLL_MS);
}

/** Asks for a city before it reserves. */
function reserving(file: string): FunctionToolGroup {
  const note = (text: string): void => appendFileSync(file, `${text}\n`);
  const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
  const reserve = tool({
    name: 'reserve',
    description: 'Reserves.',
    inputSchema: { type: 'object' },
    annotations: { readOnly: false },
    async execute(_args, { ask }) {
      note('begins');
      const { decision } = await ask({ kind: 'form', message: 'Which city?', schema });
      note(`reserves: ${decision}`);
      return 'reserved';
    },
  });
  return { id: 'travel', tools: [reserve] };
}
