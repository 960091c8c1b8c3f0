import { ToolyardError, say } from '@toolyard/protocol';
import type { McpHostOptions } from '../host/host-options.ts';
import { readUrl } from '../values/read-url.ts';
import type { LogEntry, ServerConfig } from '../types.ts';
import { ServerAuth } from './server-auth.ts';
import type { SignInResponse, StartedSignIn } from './sign-in.ts';
import { claimSignIn } from './sign-in.ts';

/** Callbacks of one server's sign-in. */
export type SignInEvents = {
  note: (level: LogEntry['level'], text: string) => void;
  onChange: () => void;
  onSignedIn: () => void;
};

/** The sign-ins of all servers of a host. */
export class SignIns {
  readonly #options: Pick<McpHostOptions, 'signIn' | 'clock' | 'clientInfo'>;
  readonly #auths = new Map<string, { auth: ServerAuth; onSignedIn: () => void }>();

  constructor(options: Pick<McpHostOptions, 'signIn' | 'clock' | 'clientInfo'>) {
    this.#options = options;
  }

  /** Undefined for a server without sign-in: a local one, or one with a token in its headers. */
  add(config: ServerConfig, events: SignInEvents): ServerAuth | undefined {
    const { signIn, clock, clientInfo } = this.#options;
    const { transport, oauth = {} } = config;
    this.#auths.delete(config.id);
    if (signIn === undefined || (transport.type !== 'http' && transport.type !== 'sse')) return undefined;
    if (readUrl(transport.url) === null) return undefined;
    const names = Object.keys(transport.headers ?? {});
    if (names.some((name) => name.toLowerCase() === 'authorization')) return undefined;
    const auth = new ServerAuth({
      serverId: config.id,
      serverUrl: transport.url,
      settings: oauth,
      introduction: { name: clientInfo.title ?? clientInfo.name, ...signIn.introduction },
      store: signIn.store,
      fetch: signIn.fetchFor(config),
      clock,
      note: events.note,
      onChange: events.onChange,
    });
    this.#auths.set(config.id, { auth, onSignedIn: events.onSignedIn });
    return auth;
  }

  /** Forgets a removed server; its stored tokens are kept. */
  forget(serverId: string): void {
    this.#auths.delete(serverId);
  }

  /** @throws ToolyardError */
  async begin(serverId: string, redirectUrl: string): Promise<StartedSignIn> {
    return this.#get(serverId).auth.begin(redirectUrl);
  }

  /** @returns the id of the server. @throws ToolyardError */
  async finish(response: SignInResponse): Promise<string> {
    const { signIn, clock } = this.#options;
    if (signIn === undefined) throw createSignInUnsupportedError();
    const pending = await claimSignIn(signIn.store, clock, response.state);
    const { auth, onSignedIn } = this.#get(pending.serverId);
    await auth.finish(pending, response);
    onSignedIn();
    return pending.serverId;
  }

  /** @throws ToolyardError */
  async signOut(serverId: string): Promise<void> {
    await this.#get(serverId).auth.signOut();
  }

  /** Checks the store for a sign-in by another process, and reports it. */
  async detect(serverId: string): Promise<void> {
    const known = this.#auths.get(serverId);
    if (known !== undefined && (await known.auth.isSignedInElsewhere())) known.onSignedIn();
  }

  #get(serverId: string) {
    const known = this.#auths.get(serverId);
    if (known !== undefined) return known;
    if (this.#options.signIn === undefined) throw createSignInUnsupportedError();
    throw new ToolyardError({
      code: 'conflict',
      message: say`The server "${serverId}" does not support signing in.`,
      hint: say`It is not a remote HTTP server, has a token in its headers, or was removed.`,
    });
  }
}

function createSignInUnsupportedError(): ToolyardError {
  return new ToolyardError({ code: 'conflict', message: say`This host does not support signing in to servers.` });
}
