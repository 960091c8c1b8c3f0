import type { McpServerView, McpToolView, ToolAnnotations, ToolReference } from '@toolyard/protocol';
import { showName } from '@toolyard/protocol';
import type { CallView } from '../../transcript/calls.ts';
import type { IconServer } from '../../servers/server-kind.ts';
import { serverLabel, toolText } from '../../servers/server-words.ts';

/** The display name of a tool. Texts of its server are untrusted: hidden characters are shown. */
export type ToolLabel = {
  title: string;
  /** Null if no server offers a tool of that name. */
  server: string | null;
  /** The server, if it is known. */
  icon: IconServer | null;
  effects: readonly ToolEffect[];
};

/** What a tool may do, one entry per annotation; `unsaid`: its server declares nothing about changes. */
export type ToolEffect = 'reads' | 'adds' | 'destroys' | 'unsaid' | 'repeatable' | 'outside' | 'inside';

type Servers = readonly (IconServer & Pick<McpServerView, 'serverInfo' | 'tools'>)[];

export function toolLabel(call: Pick<CallView, 'name' | 'tool' | 'arguments'>, servers: Servers): ToolLabel {
  const tool = call.tool ?? (call.arguments === null ? toolOfName(call.name, servers) : null);
  if (tool === null) return { title: showName(call.name), server: null, icon: null, effects: [] };
  const server = servers.find(({ id }) => id === tool.serverId);
  const known = server?.tools.find((view) => view.tool.name === tool.name);
  return {
    title: showName(toolText(known?.title ?? tool.name, server)),
    icon: server ?? null,
    server: server === undefined ? showName(tool.serverId) : serverLabel(server).name,
    effects: known === undefined ? [] : listEffects(known),
  };
}

/** The tool a streaming call refers to, if only one has that name. */
function toolOfName(name: string, servers: Servers): ToolReference | null {
  const found = servers.flatMap(({ tools }) => tools.filter(({ tool }) => tool.name === name));
  return found.length === 1 ? (found[0]?.tool ?? null) : null;
}

function listEffects({ readOnly, annotations = {} }: McpToolView): ToolEffect[] {
  const effects: ToolEffect[] = [getEffect(readOnly, annotations)];
  if (!readOnly && annotations.idempotent === true) effects.push('repeatable');
  if (annotations.openWorld !== undefined) effects.push(annotations.openWorld ? 'outside' : 'inside');
  return effects;
}

function getEffect(readOnly: boolean, { destructive }: ToolAnnotations): ToolEffect {
  if (readOnly) return 'reads';
  if (destructive === undefined) return 'unsaid';
  return destructive ? 'destroys' : 'adds';
}
