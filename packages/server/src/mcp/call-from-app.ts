import { toolPolicyFacts } from '@toolyard/agent-host';
import type { PolicyVerdict } from '@toolyard/agent-runtime';
import { InterventionChecker } from '@toolyard/agent-runtime';
import { ToolIndex } from '@toolyard/mcp-host';
import type { AppCallVerdict, CallFromMcpApp, CheckTabAppCall, McpAppCall, Owner, AnyText } from '@toolyard/protocol';
import { defined, findDecision, formatToolReference, say, createErrorInfo } from '@toolyard/protocol';
import { createNotFoundError } from '../errors.ts';
import { readStoredConfiguration } from '../config/agent-configuration.ts';
import type { AutoConfirmation } from '../config/auto-confirmation.ts';
import type { HttpAppOptions } from '../http/types.ts';
import { createTabPins, definitionIn, toListedTool } from '../tabs/tab-pins.ts';
import { checkCall } from './check-tool-test.ts';

type Services = Pick<HttpAppOptions, 'clock' | 'configurations' | 'policy' | 'servers' | 'storage'> & {
  auto: Pick<AutoConfirmation, 'view'>;
};

/**
 * Makes a call that an app (MCP Apps) requests, with the servers, tools and permissions of its conversation. An app may
 * call only tools of its own server, and of those only the ones the server offers to apps. `approved`: the user allowed
 * this very call.
 */
export async function callFromApp(
  services: Services,
  principal: Owner,
  id: string,
  { conversationId, approved, ...call }: CallFromMcpApp,
  signal?: AbortSignal,
): Promise<McpAppCall> {
  const { servers } = services;
  const detail = (await servers.lists.tools(principal, id)).find(({ tool }) => tool.name === call.tool);
  const audience = detail?.ui?.visibility ?? (detail === undefined ? [] : ['model', 'app']);
  if (detail === undefined || !detail.enabled || !audience.includes('app')) {
    return refused(say`The server "${id}" offers apps no tool "${call.tool}".`);
  }
  const { settings, choices, decisionOn } = await readConversation(services, principal, conversationId);
  const { items } = await servers.editable.list(principal);
  const isEnabled = choices.servers[id] ?? items.find((server) => server.id === id)?.enabled;
  if (isEnabled !== true) return disabledServer(id);
  if (choices.disabledTools.includes(formatToolReference(detail.tool))) return disabledTool(id, call.tool);
  const permission = decisionOn(detail.tool) ?? null;
  const verdict = toVerdict(
    await checkCall(services, principal, detail, call.arguments ?? {}, { ...settings, permission }),
    detail,
  );
  if (verdict.decision === 'refused' || (verdict.decision === 'ask' && approved !== true)) return verdict;
  const request = { params: { id }, body: call };
  const result = await servers.ask('POST /api/mcp/servers/{id}/tools/call', principal, request, signal);
  return { decision: 'called', result };
}

/** The same check for a call that the tab makes, because the server of the app is connected there. */
export async function checkTabAppCall(
  services: Services,
  principal: Owner,
  conversationId: string,
  { server, tool, arguments: args = {} }: CheckTabAppCall,
): Promise<AppCallVerdict> {
  const { storage, clock, policy } = services;
  const { id } = server;
  const { settings, choices, decisionOn } = await readConversation(services, principal, conversationId);
  if (choices.servers[id] === false) return disabledServer(id);
  const tools = new ToolIndex([{ serverId: id, origin: 'tab', builtIn: false, tools: [toListedTool(tool)] }]).tools;
  const reference = { serverId: id, name: tool.name, origin: 'tab' as const };
  if (choices.disabledTools.includes(formatToolReference(reference))) return disabledTool(id, tool.name);
  const offered = [{ ...server, tools: [tool] }];
  const trust = await createTabPins({ settings: storage.settings, clock }).review(principal, offered);
  const host = { trust, findDefinition: () => definitionIn(offered, reference), isTrusted: () => false };
  const facts = toolPolicyFacts(host, tools, reference);
  const checker = new InterventionChecker({
    ...settings,
    permission: decisionOn,
    callContext: policy?.(),
    lookUp: () => facts,
  });
  return toVerdict(checker.check(reference, args), { changed: facts?.changed });
}

async function readConversation({ storage, configurations, auto }: Services, principal: Owner, conversationId: string) {
  const conversation = await storage.conversations.get(principal, conversationId);
  if (conversation === null) {
    throw createNotFoundError(say`The conversation of the app no longer exists.`);
  }
  const configuration = await configurations.resolve(principal, {
    agentId: conversation.agentId,
    conversation: readStoredConfiguration(conversation.configuration),
  });
  const { intervention, interventionRules: rules, lostRules, servers, disabledTools } = configuration;
  const unconfirmed = intervention === 'auto' ? (await auto.view(principal, servers)).unconfirmed : [];
  const mode = unconfirmed.length > 0 ? ('manual' as const) : intervention;
  const permissions = await storage.permissions.list(principal, { conversationId });
  return {
    settings: { mode, rules, lostRules: lostRules === true },
    choices: { servers, disabledTools },
    decisionOn: (tool: Parameters<typeof findDecision>[0]) => findDecision(tool, permissions),
  };
}

function toVerdict(
  verdict: PolicyVerdict,
  { changed }: { changed?: Extract<AppCallVerdict, { decision: 'ask' }>['changed'] },
): AppCallVerdict {
  switch (verdict.decision) {
    case 'run':
      return verdict;
    case 'refused':
      return { decision: 'refused', error: verdict.refusal };
    case 'ask': {
      const { danger, templates, byRule } = verdict.about ?? {};
      return { decision: 'ask', ...defined({ danger, templates, byRule, changed }) };
    }
  }
}

function disabledServer(id: string) {
  return refused(say`The server "${id}" is disabled in this conversation.`);
}

function disabledTool(id: string, tool: string) {
  return refused(say`The tool "${tool}" of "${id}" is disabled in this conversation.`);
}

function refused(message: AnyText) {
  return { decision: 'refused' as const, error: createErrorInfo({ code: 'tool_not_found', message }) };
}
