import type { McpToolView } from '@toolyard/protocol';

/** The names of suggested first messages, each a message of the setup namespace. */
export type Suggestion = 'time' | 'timeTwo' | 'tools' | 'help' | 'slow' | 'explain' | 'plan' | 'write';

/** Suggestions for this model and these tools: those that call a tool first. */
export function suggestionsFor(available: { demo: boolean; tools: readonly McpToolView[] }): Suggestion[] {
  const hasClock = available.tools.some((view) => view.tool.name === 'get-date');
  if (available.demo) return [...(hasClock ? (['time', 'timeTwo'] as const) : []), 'help', 'slow'];
  const withTools: Suggestion[] = [
    ...(hasClock ? (['time'] as const) : []),
    ...(available.tools.length > 0 ? (['tools'] as const) : []),
  ];
  return [...withTools, ...(['explain', 'plan', 'write'] as const)].slice(0, 4);
}
