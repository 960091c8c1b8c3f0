import type { McpServerView, McpToolView, ToolAnnotations, ToolReference } from '@toolyard/protocol';
import { showHidden } from '@toolyard/protocol';
import type { CallView } from '../../transcript/calls.ts';
import { serverTitle } from '../../servers/server-words.ts';

/** A tool as the page names it. What its server says of it is not to be trusted, only shown: hidden characters too. */
export type ToolLabel = {
  title: string;
  /** Null where nobody offers a tool of that name. */
  server: string | null;
  facts: readonly ToolFact[];
};

/** What a tool may do, each in its own words; `unsaid`: its server says nothing of what it changes. */
export type ToolFact = 'reads' | 'adds' | 'destroys' | 'unsaid' | 'repeatable' | 'outside' | 'inside';

type Servers = readonly Pick<McpServerView, 'id' | 'serverInfo' | 'tools'>[];

export function toolLabel(call: Pick<CallView, 'name' | 'tool' | 'arguments'>, servers: Servers): ToolLabel {
  const tool = call.tool ?? (call.arguments === null ? toolOfName(call.name, servers) : null);
  if (tool === null) return { title: showHidden(call.name), server: null, facts: [] };
  const server = servers.find(({ id }) => id === tool.serverId);
  const known = server?.tools.find((view) => view.tool.name === tool.name);
  return {
    title: showHidden(known?.title ?? tool.name),
    server: server === undefined ? showHidden(tool.serverId) : serverTitle(server),
    facts: known === undefined ? [] : factsOf(known),
  };
}

/** The tool a call that is being written will turn out to be of, where only one is called so. */
function toolOfName(name: string, servers: Servers): ToolReference | null {
  const found = servers.flatMap(({ tools }) => tools.filter(({ tool }) => tool.name === name));
  return found.length === 1 ? (found[0]?.tool ?? null) : null;
}

function factsOf({ readOnly, annotations = {} }: McpToolView): ToolFact[] {
  const facts: ToolFact[] = [changesOf(readOnly, annotations)];
  if (!readOnly && annotations.idempotent === true) facts.push('repeatable');
  if (annotations.openWorld !== undefined) facts.push(annotations.openWorld ? 'outside' : 'inside');
  return facts;
}

function changesOf(readOnly: boolean, { destructive }: ToolAnnotations): ToolFact {
  if (readOnly) return 'reads';
  if (destructive === undefined) return 'unsaid';
  return destructive ? 'destroys' : 'adds';
}
