import type { Clock } from '@toolyard/protocol';
import { ToolyardError } from '@toolyard/protocol';
import type { SignInOptions } from '../host-options.ts';
import { readUrl } from '../read-url.ts';
import type { LogEntry, ServerConfig } from '../types.ts';
import { ServerAuth } from './server-auth.ts';
import type { SignInResponse, StartedSignIn } from './sign-in.ts';
import { takeUpSignIn } from './sign-in.ts';

export type SignInsOptions = {
  /** Absent where the owner keeps no sign-ins. */
  signIn: SignInOptions | undefined;
  clock: Clock;
  /** The name of this client where its introduction gives none. */
  clientName: string;
};

/** What the sign-in of one server tells its owner. */
export type SignInNews = {
  note: (level: LogEntry['level'], text: string) => void;
  onChange: () => void;
};

/** The sign-ins of all servers of a host. */
export class SignIns {
  readonly #options: SignInsOptions;
  readonly #auths = new Map<string, ServerAuth>();

  constructor(options: SignInsOptions) {
    this.#options = options;
  }

  /** Undefined for a server that nobody signs in to: a program, or one with a token in its headers. */
  add(config: ServerConfig, news: SignInNews): ServerAuth | undefined {
    const { signIn, clock, clientName } = this.#options;
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
      introduction: { name: clientName, ...signIn.introduction },
      store: signIn.store,
      fetch: signIn.fetchFor(config),
      clock,
      ...news,
    });
    this.#auths.set(config.id, auth);
    return auth;
  }

  /** The server is no longer there; its tokens stay where they are kept. */
  forget(serverId: string): void {
    this.#auths.delete(serverId);
  }

  /** @throws ToolyardError */
  async begin(serverId: string, redirectUrl: string): Promise<StartedSignIn> {
    return this.#get(serverId).begin(redirectUrl);
  }

  /** @returns whose sign-in it was. @throws ToolyardError */
  async finish(response: SignInResponse): Promise<string> {
    const { signIn, clock } = this.#options;
    if (signIn === undefined) throw notHere();
    const pending = await takeUpSignIn(signIn.store, clock, response.state);
    await this.#get(pending.serverId).finish(pending, response);
    return pending.serverId;
  }

  /** @throws ToolyardError */
  async signOut(serverId: string): Promise<void> {
    await this.#get(serverId).signOut();
  }

  #get(serverId: string): ServerAuth {
    const auth = this.#auths.get(serverId);
    if (auth !== undefined) return auth;
    if (this.#options.signIn === undefined) throw notHere();
    throw new ToolyardError({
      code: 'conflict',
      message: `Nobody signs in to the server "${serverId}".`,
      hint: 'It is no web server, has a token in the headers of its configuration, or is not there any more.',
    });
  }
}

function notHere(): ToolyardError {
  return new ToolyardError({ code: 'conflict', message: 'Nobody signs in to servers here.' });
}
