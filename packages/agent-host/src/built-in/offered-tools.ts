import type { Message, ToolDefinition } from '@toolyard/protocol';
import { formatToolReference, isJsonObject } from '@toolyard/protocol';
import { ASSUMED_WINDOW, GROUP_SERVER, tokensOfTools } from '@toolyard/agent-runtime';
import type { IndexedTool } from '@toolyard/mcp-host';
import { FUNCTIONS_SERVER } from '../functions/function-tools.ts';
import { SEARCH_TOOLS } from './search-tools.ts';

type OfferedToolsOptions = {
  tools: () => readonly IndexedTool[];
  messages: () => readonly Message[];
  /** The context window in tokens. */
  window: number | undefined;
  /** The share of the window, in percent, above which tools are found by search. */
  percent: number | undefined;
};

const DEFAULT_PERCENT = 10;
/** Tokens of built-in tools, and of a program's own functions, that are offered without a search. */
const MAX_BUILT_IN_TOKENS = 1_000;
/** Share of the window that built-in tools take at most. */
const BUILT_IN_SHARE = 0.1;
/** A smaller window is for the conversation and the user's own tools: it gets no built-in tools. */
const MIN_WINDOW_FOR_BUILT_IN = 4_096;
/** Servers that the description of the search names. */
const MAX_SERVERS_NAMED = 40;

/**
 * The tools whose definitions a request contains: all, or, if those would exceed a share of the context window, the
 * search, some built-in tools, and what the conversation has found or called, in the order of its first use. Built-in
 * tools take at most a share of the window, the search included. Only appending keeps the beginning of the request the
 * same, which providers cache. The same list as long as none changes.
 */
export function createOfferedTools(options: OfferedToolsOptions): () => readonly ToolDefinition[] {
  const { window = ASSUMED_WINDOW, percent = DEFAULT_PERCENT } = options;
  const most = (window * percent) / 100;
  const mostBuiltIn = window < MIN_WINDOW_FOR_BUILT_IN ? 0 : window * BUILT_IN_SHARE;
  let last: { key: string; of: readonly IndexedTool[]; offered: readonly ToolDefinition[] } | null = null;
  return () => {
    const tools = options.tools();
    const search = tools.find(isSearch);
    const others = search === undefined ? tools : tools.filter((each) => each !== search);
    const wanted = mostBuiltIn === 0 ? others.filter((each) => !isBuiltIn(each)) : others;
    const isOver = search !== undefined && tokensOfTools(wanted) > most;
    const found = isOver ? usedReferences(options.messages()) : [];
    const key = JSON.stringify([isOver, found]);
    if (last?.of === tools && last.key === key) return last.offered;
    const offered = isOver
      ? listOffered(tools, search, found, { most, mostBuiltIn })
      : withinShare(wanted, mostBuiltIn);
    last = { key, of: tools, offered };
    return offered;
  };
}

/** What the user did not add: neither a program's own functions nor what the run of a group cannot work without. */
function isBuiltIn({ builtIn, tool }: IndexedTool): boolean {
  return builtIn && tool.serverId !== FUNCTIONS_SERVER && tool.serverId !== GROUP_SERVER;
}

function withinShare(tools: readonly IndexedTool[], mostBuiltIn: number): readonly IndexedTool[] {
  const builtIn = tools.filter(isBuiltIn);
  const fitting = new Set(whileFitting(builtIn, mostBuiltIn));
  return fitting.size === builtIn.length ? tools : tools.filter((each) => !isBuiltIn(each) || fitting.has(each));
}

function isSearch({ tool, builtIn }: IndexedTool): boolean {
  return builtIn && tool.serverId === SEARCH_TOOLS.serverId && tool.name === SEARCH_TOOLS.name;
}

function listOffered(
  tools: readonly IndexedTool[],
  search: IndexedTool,
  found: readonly string[],
  { most, mostBuiltIn }: { most: number; mostBuiltIn: number },
): readonly ToolDefinition[] {
  const searching = { ...search, description: describe(search, tools) };
  const own = whileFitting(
    tools.filter((each) => each.builtIn && !isBuiltIn(each)),
    MAX_BUILT_IN_TOKENS,
  );
  const others = whileFitting(
    tools.filter((each) => isBuiltIn(each) && each !== search),
    Math.min(MAX_BUILT_IN_TOKENS - tokensOfTools(own), mostBuiltIn - tokensOfTools([searching])),
  );
  const builtIn = [...own, ...others];
  const byReference = new Map(tools.map((each) => [formatToolReference(each.tool), each]));
  const used = found.flatMap((reference) => byReference.get(reference) ?? []);
  const rest = used.filter((each) => each !== search && !builtIn.includes(each));
  // The latest are needed most.
  const kept = new Set(whileFitting(rest.toReversed(), most));
  return [searching, ...builtIn, ...rest.filter((each) => kept.has(each))];
}

function whileFitting(tools: readonly IndexedTool[], most: number): IndexedTool[] {
  let tokens = 0;
  return tools.filter((each) => {
    tokens += tokensOfTools([each]);
    return tokens <= most;
  });
}

/** Names the servers, so that a model knows what it can search for. */
function describe({ description = '' }: IndexedTool, tools: readonly IndexedTool[]): string {
  const counts = new Map<string, number>();
  for (const each of tools) {
    if (!isSearch(each)) counts.set(each.tool.serverId, (counts.get(each.tool.serverId) ?? 0) + 1);
  }
  const servers = [...counts].slice(0, MAX_SERVERS_NAMED).map(([id, count]) => `${id} (${count})`);
  const more = counts.size > MAX_SERVERS_NAMED ? ', and others' : '';
  return `${description} Servers and how many tools they have: ${servers.join(', ')}${more}.`;
}

/** The tools that searches of the conversation found or that it called, by their first use. */
function usedReferences(messages: readonly Message[]): string[] {
  const used = new Set<string>();
  for (const message of messages) {
    if (message.role !== 'tool' || message.tool === null) continue;
    const { serverId, name } = message.tool;
    if (serverId !== SEARCH_TOOLS.serverId || name !== SEARCH_TOOLS.name) used.add(formatToolReference(message.tool));
    else for (const part of message.parts) for (const each of foundIn(part.result.structured)) used.add(each);
  }
  return [...used];
}

function foundIn(structured: unknown): string[] {
  const found = isJsonObject(structured) ? structured['tools'] : undefined;
  return Array.isArray(found) ? found.filter((each) => typeof each === 'string') : [];
}
