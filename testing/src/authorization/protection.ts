import type { JsonObject } from '@toolyard/protocol';

export type ProtectionOptions = {
  /** What it says of itself (RFC 9728), put over the usual; null: nothing, as servers of 2025-03-26 do. */
  metadata?: JsonObject | null;
  /** False does not say where that lies. */
  isNamed?: boolean;
  /** Asked for with the first refusal. */
  scope?: string;
  /** What a message needs beside a token, by method or `tools/call:<tool>`. */
  needs?: Readonly<Record<string, string>>;
  /** Messages that need no token. */
  open?: readonly string[];
};

/** What a scripted MCP server asks before it takes a request. */
export type Protection = {
  /** What lies at a path of it beside `/mcp`. */
  document(path: string, origin: string): JsonObject | undefined;
  /** Undefined takes the request. */
  refuse(request: {
    authorization: string | undefined;
    message: JsonObject | undefined;
    origin: string;
  }): { status: number; challenge: string } | undefined;
};

const PATH = '/.well-known/oauth-protected-resource/mcp';

/** @param scopeOf of an `Authorization` header with a valid token; undefined for any other */
export function createProtection(
  issuer: string,
  scopeOf: (authorization: string) => string | undefined,
  options: ProtectionOptions,
): Protection {
  const { metadata, isNamed = true, needs = {}, open = [] } = options;
  const named = (origin: string): string =>
    isNamed && metadata !== null ? `, resource_metadata="${origin}${PATH}"` : '';

  return {
    document(path, origin) {
      if (path !== PATH || metadata === null) return undefined;
      return { resource: `${origin}/mcp`, authorization_servers: [issuer], ...metadata };
    },
    refuse({ authorization, message, origin }) {
      const method = typeof message?.['method'] === 'string' ? message['method'] : '';
      if (open.includes(method)) return undefined;
      const given = scopeOf(authorization ?? '');
      const words = options.scope === undefined ? '' : `, scope="${options.scope}"`;
      if (given === undefined) return { status: 401, challenge: `Bearer realm="mcp"${words}${named(origin)}` };
      const params = message?.['params'];
      const tool = params !== null && typeof params === 'object' && !Array.isArray(params) ? params['name'] : undefined;
      const needed = (typeof tool === 'string' ? needs[`${method}:${tool}`] : undefined) ?? needs[method];
      if (needed === undefined || needed.split(' ').every((word) => given.split(' ').includes(word))) return undefined;
      return { status: 403, challenge: `Bearer error="insufficient_scope", scope="${needed}"${named(origin)}` };
    },
  };
}
