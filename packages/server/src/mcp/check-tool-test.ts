import type { InterventionOptions, ToolPolicyFacts } from '@toolyard/agent-runtime';
import { InterventionChecker } from '@toolyard/agent-runtime';
import type {
  InterventionMode,
  InterventionRule,
  JsonObject,
  McpServerView,
  McpToolDetail,
  McpToolTest,
  Owner,
  TestMcpTool,
} from '@toolyard/protocol';
import { defined } from '@toolyard/protocol';
import type { Configurations } from '../services.ts';
import type { Servers } from './operations.ts';

export type ToolTestServices = {
  servers: Pick<Servers, 'ask' | 'editable' | 'lists'>;
  configurations: Pick<Configurations, 'resolve'>;
  /** Toolyard's own paths, and the resolution of symbolic links. */
  policy?: (() => NonNullable<InterventionOptions['callContext']>) | undefined;
};

/**
 * Calls a tool for a user. The request is an approval of this very call; the same check as for calls of models finds what
 * rules and stored decisions forbid, and what is flagged as dangerous.
 */
export async function testTool(
  services: ToolTestServices,
  principal: Owner,
  id: string,
  test: TestMcpTool,
  signal?: AbortSignal,
): Promise<McpToolTest> {
  const { servers } = services;
  const found = (await servers.lists.tools(principal, id)).find(({ tool }) => tool.name === test.tool);
  const verdict = found === undefined ? undefined : await check(services, principal, found, test);
  if (verdict?.decision === 'refused') return { decision: 'refused', error: verdict.refusal };
  const why = verdict?.decision === 'ask' ? verdict.about?.danger : undefined;
  if (why !== undefined && test.evenIfFlagged !== true) return { decision: 'flagged', why };
  // A tool that does not exist is reported by the call.
  return {
    decision: 'called',
    call: await servers.ask('uncheckedTest', principal, { params: { id }, body: test }, signal),
  };
}

async function check(
  { servers, configurations, policy }: ToolTestServices,
  principal: Owner,
  detail: McpToolDetail,
  { arguments: args = {} }: TestMcpTool,
) {
  const { interventionRules: rules, lostRules } = await configurations.resolve(principal, { agentId: null });
  const settings = { mode: 'manual' as const, rules, lostRules: lostRules === true, permission: detail.permission };
  return checkCall({ servers, policy }, principal, detail, args, settings);
}

export type CallSettings = {
  mode: InterventionMode;
  rules: readonly InterventionRule[];
  lostRules: boolean;
  /** The stored decision about the tool. */
  permission: 'allow' | 'never' | null;
};

/** The check of calls of models, for a call that no model makes. */
export async function checkCall(
  { servers, policy }: Pick<ToolTestServices, 'policy'> & { servers: Pick<Servers, 'editable'> },
  principal: Owner,
  detail: McpToolDetail,
  args: JsonObject,
  { mode, rules, lostRules, permission }: CallSettings,
) {
  const { serverId } = detail.tool;
  const { items } = await servers.editable.list(principal);
  const server = items.find((each) => each.id === serverId);
  const workingFolder = await findFolder(servers, principal, server);
  const checker = new InterventionChecker({
    mode,
    rules,
    lostRules,
    permission: () => permission ?? undefined,
    callContext: policy?.(),
    lookUp: (): ToolPolicyFacts => ({
      builtIn: server?.builtIn === true,
      readOnly: detail.readOnly,
      trusted: server?.trusted === true,
      ...defined({ destructive: detail.annotations?.destructive, changed: detail.changed }),
      callContext: () => ({ inputSchema: detail.inputSchema, workingFolder }),
    }),
  });
  return checker.check(detail.tool, args);
}

/** Undefined if it is not configured, or contains variables. */
async function findFolder(
  servers: Pick<Servers, 'editable'>,
  principal: Owner,
  server: McpServerView | undefined,
): Promise<string | undefined> {
  if (server?.editable !== true || server.transport?.type !== 'stdio') return undefined;
  const { transport } = await servers.editable.configuration(principal, server.id);
  const folder = transport?.type === 'stdio' ? transport.cwd : undefined;
  return folder?.includes('${') === true ? undefined : folder;
}
