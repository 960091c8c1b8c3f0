import type { JsonObject } from '@toolyard/protocol';

export type ProtectionOptions = {
  /** Overrides of its resource metadata (RFC 9728); null: none, as on servers of 2025-03-26. */
  metadata?: JsonObject | null;
  /** False omits the URL of the metadata from challenges. */
  isNamed?: boolean;
  /** The scope in the first challenge. */
  scope?: string;
  /** The scopes a message requires in addition to a token, by method or `tools/call:<tool>`. */
  needs?: Readonly<Record<string, string>>;
  /** Messages that need no token. */
  open?: readonly string[];
};

/** The authorization checks of a scripted MCP server. */
export type Protection = {
  /** The document at a path of the server other than `/mcp`. */
  document(path: string, origin: string): JsonObject | undefined;
  /** Undefined accepts the request. */
  refuse(request: {
    authorization: string | undefined;
    message: JsonObject | undefined;
    origin: string;
  }): { status: number; challenge: string } | undefined;
};

const PATH = '/.well-known/oauth-protected-resource/mcp';

/** @param getScope the scope of an `Authorization` header with a valid token; undefined for any other */
export function createProtection(
  issuer: string,
  getScope: (authorization: string) => string | undefined,
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
      const grantedScope = getScope(authorization ?? '');
      const scopeParam = options.scope === undefined ? '' : `, scope="${options.scope}"`;
      if (grantedScope === undefined)
        return { status: 401, challenge: `Bearer realm="mcp"${scopeParam}${named(origin)}` };
      const params = message?.['params'];
      const tool = params !== null && typeof params === 'object' && !Array.isArray(params) ? params['name'] : undefined;
      const requiredScope = (typeof tool === 'string' ? needs[`${method}:${tool}`] : undefined) ?? needs[method];
      if (
        requiredScope === undefined ||
        requiredScope.split(' ').every((word) => grantedScope.split(' ').includes(word))
      )
        return undefined;
      return { status: 403, challenge: `Bearer error="insufficient_scope", scope="${requiredScope}"${named(origin)}` };
    },
  };
}
