import type { CallContext } from '@toolyard/agent-runtime';
import type { McpServerView } from '@toolyard/protocol';
import type { serverApi } from '../servers/server-api.ts';

type Server = Pick<McpServerView, 'id' | 'editable' | 'transport'>;
type Api = Pick<typeof serverApi, 'tools' | 'configuration'>;

/**
 * What a real call is checked with besides its arguments: the schema of its tool and the working directory of its
 * server.
 */
export async function callContextOfTool(
  api: Api,
  { id, editable, transport }: Server,
  toolName: string,
): Promise<Pick<CallContext, 'inputSchema' | 'workingFolder'>> {
  const isLocal = editable && transport?.type === 'stdio';
  const [tools, configuration] = await Promise.all([api.tools(id), isLocal ? api.configuration(id) : null]);
  const configured = configuration?.transport;
  const folder = configured?.type === 'stdio' ? configured.cwd : undefined;
  return {
    inputSchema: tools.find(({ tool }) => tool.name === toolName)?.inputSchema,
    // Only the server knows the values of variables.
    workingFolder: folder?.includes('${') === true ? undefined : folder,
  };
}
