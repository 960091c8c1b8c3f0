import type { ToolOrigin, ToolReference } from '@toolyard/protocol';
import { defined } from '@toolyard/protocol';
import { checkArguments } from '../calls/check-arguments.ts';
import type { ListedTool } from './read-tool.ts';
import { nameTools } from './tool-names.ts';
import type { IndexedTool } from '../types.ts';

/** What one server contributes to the index. */
export type ServerTools = { serverId: string; origin: ToolOrigin; builtIn: boolean; tools: Iterable<ListedTool> };

/**
 * All tools under their model-facing names. An index is immutable; a server change creates a new one. Its order is that
 * of the given servers, then of each server's own list, which keeps prompts cacheable.
 *
 * @example
 * const index = new ToolIndex([{ serverId: 'files', origin: 'server', builtIn: false, tools: listedTools }]);
 * const tool = index.resolve('delete');
 */
export class ToolIndex {
  readonly tools: readonly IndexedTool[];
  readonly #byName: ReadonlyMap<string, IndexedTool>;

  constructor(servers: readonly ServerTools[]) {
    const keys = new Set<string>();
    const listed = servers.flatMap(({ serverId, origin, builtIn, tools }) =>
      [...tools]
        .map((tool) => ({ tool, builtIn, reference: { serverId, name: tool.name, origin } }))
        .filter(({ reference }) => isNew(keys, reference)),
    );
    const names = nameTools(listed.map(({ reference }) => reference));
    this.tools = listed.map((each, at) =>
      indexed(each.tool, each.reference, names[at] ?? each.tool.name, each.builtIn),
    );
    this.#byName = new Map(this.tools.map((tool) => [tool.name, tool]));
  }

  /** By model-facing name. */
  resolve(name: string): IndexedTool | undefined {
    return this.#byName.get(name);
  }
}

/**
 * `others` under model-facing names that collide neither with each other nor with `named`, whose names stay.
 *
 * @example
 * const all = [...host.tools(), ...namedBeside(host.tools(), others)];
 */
export function namedBeside(named: readonly IndexedTool[], others: readonly IndexedTool[]): readonly IndexedTool[] {
  const listed = (tool: IndexedTool): ServerTools => ({
    serverId: tool.tool.serverId,
    origin: tool.tool.origin ?? 'server',
    builtIn: tool.builtIn,
    tools: [{ ...tool, name: tool.tool.name, hasHeaderParameters: false }],
  });
  return new ToolIndex([...named, ...others].map(listed)).tools.slice(named.length);
}

/** A reference identifies a tool; of two equal ones the first is kept. */
function isNew(keys: Set<string>, { serverId, name }: ToolReference): boolean {
  const key = JSON.stringify([serverId, name]);
  if (keys.has(key)) return false;
  keys.add(key);
  return true;
}

function indexed(listed: ListedTool, reference: ToolReference, name: string, builtIn: boolean): IndexedTool {
  const { inputSchema } = listed;
  return {
    tool: reference,
    name,
    ...defined({ title: listed.title, description: listed.description }),
    inputSchema,
    ...defined({
      outputSchema: listed.outputSchema,
      annotations: listed.annotations,
      icons: listed.icons,
      ui: listed.ui,
    }),
    builtIn,
    checkArguments: (args) => checkArguments(inputSchema, args),
  };
}
