import { defined } from '@toolyard/protocol';
import type {
  AuthorizationServer,
  AuthorizationServerOptions,
  ProtectionOptions,
  ScriptedMcp,
  ScriptedMcpOptions,
  McpBehaviour,
} from '@toolyard/testing';
import { startAuthorizationServer, startScriptedMcp } from '@toolyard/testing';
import type { McpHostOptions } from '../../host/host-options.ts';
import type { McpHost } from '../../host/host.ts';
import { newHost } from './peers.ts';
import type { ServerConfig } from '../../types.ts';
import type { AuthStore } from '../../oauth/auth-store.ts';
import { createMemoryAuthStore } from '../../oauth/auth-store.ts';
import type { OAuthSettings } from '../../oauth/oauth-settings.ts';

export const BACK = 'http://127.0.0.1:8710/callback';

export type SceneOptions = {
  authorization?: AuthorizationServerOptions;
  protection?: ProtectionOptions;
  behaviour?: McpBehaviour;
  mcp?: Omit<ScriptedMcpOptions, 'protection'>;
  settings?: OAuthSettings;
  store?: AuthStore;
};

export type Scene = AsyncDisposable & {
  authorization: AuthorizationServer;
  mcp: ScriptedMcp;
  store: AuthStore;
  host: McpHost;
  config: ServerConfig;
  /** Another host with the same store, like that of another process. */
  another(more?: Partial<McpHostOptions>): McpHost;
  /** Completes a sign-in like a user, and waits until the server is ready. */
  signIn(host?: McpHost): Promise<void>;
};

/** A server `guarded` that requires a sign-in, its authorization server, and a host. */
export async function startScene(options: SceneOptions = {}): Promise<Scene> {
  const { settings, store = createMemoryAuthStore() } = options;
  const authorization = await startAuthorizationServer(options.authorization);
  const mcp = await startScriptedMcp(
    { tools: [{ name: 'go' }, { name: 'write' }], ...options.behaviour },
    { sessions: false, ...options.mcp, protection: authorization.protect(options.protection) },
  );
  const config: ServerConfig = {
    id: 'guarded',
    transport: { type: 'http', url: mcp.url },
    ...defined({ oauth: settings }),
  };
  const hosts: McpHost[] = [];
  const another = (more: Partial<McpHostOptions> = {}): McpHost => {
    const host = newHost([config], { signIn: { store, fetchFor: () => fetch }, ...more });
    hosts.push(host);
    return host;
  };
  const host = another();
  return {
    authorization,
    mcp,
    store,
    host,
    config,
    another,
    async signIn(of = host) {
      const { authorizationUrl } = await of.signIn('guarded', { redirectUrl: BACK });
      await of.finishSignIn(await authorization.visit(authorizationUrl));
      await of.connect('guarded');
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(hosts.map((one) => one.close()));
      await mcp.close();
      await authorization.close();
    },
  };
}
