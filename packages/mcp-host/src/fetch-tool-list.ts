import type { Client } from '@modelcontextprotocol/client';
import { ProtocolError } from '@modelcontextprotocol/client';
import type { ToolListing } from './list-tools.ts';
import { listTools } from './list-tools.ts';
import { anyResult, rawOf } from './raw-result-transport.ts';

const METHOD_NOT_FOUND = -32_601;

/** Asks a connected server for all its tools; none if it offers none. Throws what a request that fails throws. */
export async function fetchToolList(client: Client, signal?: AbortSignal): Promise<ToolListing> {
  const nothing: ToolListing = { tools: [], skipped: [], warnings: [] };
  if (client.getServerCapabilities()?.tools === undefined) return nothing;
  const fetchPage = async (cursor: string | undefined): Promise<unknown> => {
    const request = { method: 'tools/list', params: cursor === undefined ? {} : { cursor } };
    return rawOf(await client.request(request, anyResult, signal === undefined ? {} : { signal }));
  };
  try {
    return await listTools(fetchPage);
  } catch (thrown) {
    if (!(thrown instanceof ProtocolError) || thrown.code !== METHOD_NOT_FOUND) throw thrown;
    return { ...nothing, warnings: ['The server says it has tools but does not know how to list them.'] };
  }
}
