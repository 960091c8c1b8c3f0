import type { IncomingMessage } from 'node:http';
import { toErrorInfo } from '@toolyard/protocol';
import type { McpRouteKey, RouteAnswer } from '@toolyard/protocol/schemas';
import { callFromApp } from '../../mcp/call-from-app.ts';
import { testTool } from '../../mcp/check-tool-test.ts';
import type { CheckedCalls, McpOperationKey, McpRequest } from '../../mcp/operations.ts';
import { executeOperation, mcpOperationKeys } from '../../mcp/operations.ts';
import type { Router } from '../transport/router.ts';
import { finishedPage, refusedPage, relayPage } from '../page/sign-in-page.ts';
import type { RouteContext } from '../route-context.ts';
import { OWNER } from '../types.ts';

const CALLBACK = '/api/mcp/sign-in/callback';
const CALLBACK_KEY = `GET ${CALLBACK}` as const;

type JsonKey = Exclude<Extract<McpOperationKey, McpRouteKey>, typeof CALLBACK_KEY>;

/** The operations of MCP servers, and the pages that complete their sign-ins. */
export function addMcpRoutes({ route }: Router, services: RouteContext): void {
  const { servers, log } = services;
  const calls: CheckedCalls = {
    testTool: (...call) => testTool(services, ...call),
    callFromApp: (...call) => callFromApp(services, ...call),
  };
  const add = <Key extends JsonKey>(key: Key): void =>
    route(key, ({ c, principal, params, query, body }) => {
      const redirectUrl = `${getOrigin(c.env.incoming)}${CALLBACK}`;
      // The router has validated all but the URL with the contract of this key.
      const request = { params, query, body, redirectUrl } as unknown as McpRequest<Key>;
      const answer: Promise<unknown> = executeOperation({ servers, calls, principal }, key, request, c.req.raw.signal);
      return answer as Promise<RouteAnswer<Key>>;
    });
  for (const key of mcpOperationKeys) if (isJsonKey(key)) add(key);

  route(CALLBACK_KEY, async ({ query }) => {
    try {
      return finishedPage(await servers.ask(CALLBACK_KEY, OWNER, { params: {}, query }));
    } catch (thrown) {
      const info = toErrorInfo(thrown);
      // The text of an unknown error may contain secrets.
      if (info.code === 'internal')
        log(`sign-in: could not be completed (${thrown instanceof Error ? thrown.name : '?'})`);
      return refusedPage(info);
    }
  });

  route('GET /api/mcp/sign-in/tab', () => relayPage());
}

function isJsonKey(key: McpOperationKey): key is JsonKey {
  return key.includes(' ') && key !== CALLBACK_KEY;
}

/** The origin of this server in the browser; a reverse proxy may terminate TLS. */
function getOrigin({ headers }: IncomingMessage): string {
  return headers.origin ?? `http://${headers.host ?? ''}`;
}
