import type { CallFromMcpApp, McpAppCall, Owner } from '@toolyard/protocol';
import { findDecision, ToolyardError } from '@toolyard/protocol';
import { readStoredConfiguration } from '../config/agent-configuration.ts';
import type { AutoConfirmation } from '../config/auto-confirmation.ts';
import type { HttpAppOptions } from '../http/types.ts';
import { checkCall } from './check-tool-test.ts';

type Services = Pick<HttpAppOptions, 'configurations' | 'policy' | 'servers' | 'storage'> & {
  auto: Pick<AutoConfirmation, 'view'>;
};

/**
 * Makes a call that an app (MCP Apps) requests, with the permissions of its conversation. An app may call only tools of
 * its own server, and of those only the ones the server offers to apps. `approved`: the user allowed this very call.
 */
export async function callFromApp(
  services: Services,
  principal: Owner,
  id: string,
  { conversationId, approved, ...call }: CallFromMcpApp,
  signal?: AbortSignal,
): Promise<McpAppCall> {
  const { servers, storage } = services;
  const detail = (await servers.tools(principal, id)).find(({ tool }) => tool.name === call.tool);
  const audience = detail?.ui?.visibility ?? (detail === undefined ? [] : ['model', 'app']);
  if (detail === undefined || !detail.enabled || !audience.includes('app')) return refused(id, call.tool);
  const settings = await settingsOf(services, principal, conversationId);
  const permissions = await storage.permissions.list(principal, { conversationId });
  const permission = findDecision(detail.tool, permissions) ?? null;
  const verdict = await checkCall(services, principal, detail, call.arguments ?? {}, { ...settings, permission });
  if (verdict.decision === 'refused') return { decision: 'refused', error: verdict.refusal };
  if (verdict.decision === 'ask' && approved !== true) {
    const danger = verdict.about?.danger;
    return { decision: 'ask', ...(danger === undefined ? {} : { danger }) };
  }
  return { decision: 'called', result: await servers.call(principal, id, call, signal) };
}

async function settingsOf({ storage, configurations, auto }: Services, principal: Owner, conversationId: string) {
  const conversation = await storage.conversations.get(principal, conversationId);
  if (conversation === null) {
    throw new ToolyardError({ code: 'not_found', message: 'The conversation of the app no longer exists.' });
  }
  const configuration = await configurations.resolve(principal, {
    agentId: conversation.agentId,
    conversation: readStoredConfiguration(conversation.configuration),
  });
  const { intervention, interventionRules: rules, lostRules, servers } = configuration;
  const unconfirmed = intervention === 'auto' ? (await auto.view(principal, servers)).unconfirmed : [];
  return { mode: unconfirmed.length > 0 ? ('manual' as const) : intervention, rules, lostRules: lostRules === true };
}

function refused(serverId: string, tool: string): McpAppCall {
  const message = `The server "${serverId}" offers apps no tool "${tool}".`;
  return { decision: 'refused', error: { code: 'tool_not_found', message } };
}
