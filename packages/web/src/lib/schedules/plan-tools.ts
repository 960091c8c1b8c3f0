import type { AgentConfiguration, McpServerView, ToolReference } from '@toolyard/protocol';
import { formatToolReference } from '@toolyard/protocol';
import { explainToolCall } from '../rules/explain-call.ts';
import { isServerOn, isToolOn } from '../servers/tool-switches.ts';

/** Names of the tools of a run, by what happens to a call of them. */
export type PlannedTools = Record<'run' | 'ask' | 'refused', string[]>;

/**
 * The calls that run, wait for approval or are refused: the same check as in runs, without arguments. A call that is flagged as
 * dangerous because of its arguments asks in any case.
 */
export function planTools(
  servers: readonly McpServerView[],
  {
    configuration,
    defaults,
    allowed,
  }: { configuration: AgentConfiguration; defaults: AgentConfiguration; allowed: readonly ToolReference[] },
): PlannedTools {
  const choices = {
    servers: { ...defaults.servers, ...configuration.servers },
    disabledTools: configuration.disabledTools ?? defaults.disabledTools ?? [],
  };
  const mode = configuration.intervention ?? defaults.intervention ?? 'manual';
  const rules = [...(defaults.interventionRules ?? []), ...(configuration.interventionRules ?? [])];
  const keys = new Set(allowed.map(formatToolReference));
  const planned: PlannedTools = { run: [], ask: [], refused: [] };
  for (const server of servers) {
    if (!isServerOn(server, choices)) continue;
    for (const view of server.tools) {
      if (!view.enabled || !isToolOn(view.tool, choices)) continue;
      const permission = view.permission ?? (keys.has(formatToolReference(view.tool)) ? 'allow' : null);
      const { decision } = explainToolCall(
        { server, view: { ...view, permission }, args: {}, context: {} },
        { mode, rules, lostRules: (configuration.lostRules ?? defaults.lostRules) === true },
      );
      planned[decision].push(view.tool.name);
    }
  }
  return planned;
}
