import type { McpToolView } from '@toolyard/protocol';

/** The names of suggested first messages, each a message of the setup namespace. */
export type SuggestedMessage = 'time' | 'timeTwo' | 'tools' | 'help' | 'slow' | 'explain' | 'plan' | 'write';

/**
 * - `send`: a message that is sent as it is
 * - `server`: asks what a server of the user can do
 * - `tool`: begins a message about a tool, for the user to complete
 */
export type Suggestion =
  | { kind: 'send'; message: SuggestedMessage }
  | { kind: 'server'; server: string }
  | { kind: 'tool'; server: string; tool: string };

/** An enabled server: its display name and the tools a new chat can call. */
export type SuggestedServer = { title: string; builtIn: boolean; tools: readonly McpToolView[] };

const MAX_SUGGESTIONS = 4;

/** Suggestions for this model and these tools: first those about the user's own servers. */
export function suggestionsFor(available: { demo: boolean; servers: readonly SuggestedServer[] }): Suggestion[] {
  const { demo, servers } = available;
  const hasClock = servers.some(({ tools }) => tools.some((view) => view.tool.name === 'get-date'));
  const clock: SuggestedMessage[] = hasClock ? ['time'] : [];
  if (demo) return messages(...clock, ...(hasClock ? (['timeTwo'] as const) : []), 'help', 'slow');
  const own = servers.filter(({ builtIn, tools }) => !builtIn && tools.length > 0).slice(0, 2);
  const about = own.map(({ title }): Suggestion => ({ kind: 'server', server: title }));
  const using = own.flatMap(({ title, tools }): Suggestion[] => {
    const view = tools.find(({ readOnly }) => readOnly) ?? tools[0];
    return view === undefined ? [] : [{ kind: 'tool', server: title, tool: view.title ?? view.tool.name }];
  });
  const hasTools = servers.some(({ tools }) => tools.length > 0);
  const general = messages(
    ...clock,
    ...(hasTools && own.length === 0 ? (['tools'] as const) : []),
    'explain',
    'plan',
    'write',
  );
  return [...about, ...using, ...general].slice(0, MAX_SUGGESTIONS);
}

function messages(...names: readonly SuggestedMessage[]): Suggestion[] {
  return names.map((message) => ({ kind: 'send', message }));
}
