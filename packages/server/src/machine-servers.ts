/**
 * The MCP servers of this machine without a running Toolyard server: those of `mcp.json`, connected on first use.
 * What users enabled or disabled in a running server does not apply.
 * @module
 */
import { join } from 'node:path';
import type { ServerConfig, SignInOptions } from '@toolyard/mcp-host';
import { systemClock } from '@toolyard/protocol';
import { createServers } from './mcp/servers.ts';
import { createEntryApprovals } from './mcp/entry-approvals.ts';
import { openMachineApprovals } from './mcp/machine-approvals.ts';
import type { MachineSignInsOptions } from './mcp/machine-sign-ins.ts';
import { openMachineSignIns } from './mcp/machine-sign-ins.ts';
import { createSignInFetches } from './mcp/sign-in-fetches.ts';
import type { McpServers, McpSignIns } from './services.ts';

type WithoutPrincipal<Method> = Method extends (principal: never, ...rest: infer Rest) => infer Result
  ? (...rest: Rest) => Result
  : never;

/** `McpServers` without the principal: the caller is the owner. */
export type McpServersOfOwner = { [Name in keyof McpServers]: WithoutPrincipal<McpServers[Name]> };

export type MachineServers = McpServersOfOwner & {
  signIn: WithoutPrincipal<McpSignIns['signIn']>;
  finishSignIn: McpSignIns['finishSignIn'];
  signOut: WithoutPrincipal<McpSignIns['signOut']>;
  /** Connects all enabled servers and waits for them, up to a time limit. */
  connectAll(): Promise<void>;
  /** Disconnects all servers. */
  close(): Promise<void>;
};

const NOBODY = { ownerId: 'nobody' };

export type MachineServersOptions = {
  dataDir: string;
  env: Readonly<Record<string, string | undefined>>;
  builtIn: readonly ServerConfig[];
  /** Additional servers, such as those of a command line. */
  flags: readonly ServerConfig[];
  log: (line: string) => void;
};

/** The sign-ins of a data folder, for an MCP host that the caller creates. */
export function machineSignIn(options: MachineSignInsOptions): AsyncDisposable & { options: SignInOptions } {
  const store = openMachineSignIns(options);
  const fetches = createSignInFetches();
  return {
    options: { store, fetchFor: (server) => fetches.for(server), introduction: { name: 'Toolyard' } },
    async [Symbol.asyncDispose]() {
      await fetches.close();
      store.close();
    },
  };
}

/** Connects nothing yet. A file that cannot be read is reported in the server list. */
export async function openMachineServers({ dataDir, ...options }: MachineServersOptions): Promise<MachineServers> {
  const { env, log } = options;
  const signIns = openMachineSignIns({ dataDir, env, log });
  const servers = await createServers({
    ...options,
    signIns,
    file: join(dataDir, 'mcp.json'),
    owner: NOBODY,
    settings: {
      get: () => Promise.resolve(undefined),
      all: () => Promise.resolve(new Map()),
      set: () => Promise.resolve(),
      remove: () => Promise.resolve(false),
    },
    approvals: createEntryApprovals(openMachineApprovals({ dataDir, env }), {
      pinsExisting: false,
      sharedBy: env['DATABASE_URL'] ? dataDir : undefined,
    }),
    permissions: { list: () => Promise.resolve([]) },
    hub: { changed: () => undefined },
    clock: systemClock,
    eager: false,
  });
  return {
    list: () => servers.list(NOBODY),
    add: (server) => servers.add(NOBODY, server),
    configuration: (id) => servers.configuration(NOBODY, id),
    edit: (id, edit) => servers.edit(NOBODY, id, edit),
    remove: (id) => servers.remove(NOBODY, id),
    approval: (id) => servers.approval(NOBODY, id),
    approveEntry: (id, approved) => servers.approveEntry(NOBODY, id, approved),
    change: (id, change) => servers.change(NOBODY, id, change),
    test: (request, signal) => servers.test(NOBODY, request, signal),
    reconnect: (id) => servers.reconnect(NOBODY, id),
    log: (id, after) => servers.log(NOBODY, id, after),
    tools: (id) => servers.tools(NOBODY, id),
    call: (id, call, signal) => servers.call(NOBODY, id, call, signal),
    resources: (id) => servers.resources(NOBODY, id),
    templates: (id) => servers.templates(NOBODY, id),
    read: (id, request, signal) => servers.read(NOBODY, id, request, signal),
    prompts: () => servers.prompts(NOBODY),
    getPrompt: (id, prompt, signal) => servers.getPrompt(NOBODY, id, prompt, signal),
    complete: (id, request, signal) => servers.complete(NOBODY, id, request, signal),
    signIn: (id, redirectUrl) => servers.signIn(NOBODY, id, redirectUrl),
    finishSignIn: (response) => servers.finishSignIn(response),
    signOut: (id) => servers.signOut(NOBODY, id),
    connectAll: () => servers.connectAll(),
    async close() {
      await servers.close();
      signIns.close();
    },
  };
}
