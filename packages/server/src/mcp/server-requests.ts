import type { InspectOptions, McpHost, ServerConfig, ServerHealth } from '@toolyard/mcp-host';
import { inspectServer, redactedError } from '@toolyard/mcp-host';
import type {
  Clock,
  McpPromptList,
  McpResourceView,
  McpServerView,
  McpTemplateView,
  McpTestReport,
  McpToolDetail,
  Owner,
} from '@toolyard/protocol';
import { defined, ToolyardError } from '@toolyard/protocol';
import type { ServerLists } from '../services.ts';
import type { EditableServers } from './editable-servers.ts';
import { NO_USER_HANDLERS } from './no-user-handlers.ts';
import type { ServerConnections } from './server-connections.ts';
import { CONNECT_WAIT_MS } from './server-connections.ts';
import type { ResourceFollows } from './resource-follows.ts';

/** How long to wait for a list that is still loading, in milliseconds. */
const LIST_WAIT_MS = 5_000;

export type ServerRequestsOptions = {
  host: McpHost;
  clock: Clock;
  editable: EditableServers;
  connections: ServerConnections;
  /** Subscriptions of clients. */
  follows: ResourceFollows;
  /** For connections of tests. */
  inspect: Pick<InspectOptions, 'createTransport' | 'clientInfo' | 'signIn'>;
};

/** Requests of users and programs to servers, without a model, in the process that has the connections. */
export class ServerRequests implements ServerLists {
  readonly clock: Clock;
  readonly host: McpHost;
  readonly editable: EditableServers;
  readonly connections: ServerConnections;
  readonly follows: ResourceFollows;
  readonly #inspect: ServerRequestsOptions['inspect'];
  /** Health of servers that are being tested. */
  readonly #tests = new Set<() => readonly ServerHealth[]>();

  constructor({ clock, host, editable, connections, follows, inspect }: ServerRequestsOptions) {
    this.clock = clock;
    this.host = host;
    this.editable = editable;
    this.connections = connections;
    this.follows = follows;
    this.#inspect = inspect;
  }

  /** Tests a connection that is closed afterwards. Never throws for errors of the server. */
  inspect(config: ServerConfig, signal?: AbortSignal): Promise<McpTestReport> {
    // Some servers offer more tools to clients that support elicitation; advertise the same capabilities as in use.
    return inspectServer({
      ...this.#inspect,
      clock: this.clock,
      handlers: NO_USER_HANDLERS,
      callerRoots: true,
      config,
      ...defined({ signal }),
      whileConnecting: (health) => {
        this.#tests.add(health);
        return () => this.#tests.delete(health);
      },
    });
  }

  /** The download of a server during a test. */
  launchOfTest(id: string): ServerHealth['launch'] {
    return [...this.#tests].flatMap((test) => test()).find((health) => health.id === id && health.launch)?.launch;
  }

  async tools(principal: Owner, id: string): Promise<McpToolDetail[]> {
    const { editable } = this;
    await this.#ready(id);
    const { state, error } = this.findHealth(id) ?? {};
    if (error !== undefined && state !== 'ready' && state !== 'reconnecting') {
      throw new ToolyardError(redactedError(error, editable.redactor(id)));
    }
    return editable.toolDetails(principal, id);
  }

  async resources(_principal: Owner, id: string): Promise<McpResourceView[]> {
    const listed = await this.#listed(id, (host) => host.resources.resources(id));
    return listed.map(({ icons: _icons, ...resource }) => resource);
  }

  async templates(_principal: Owner, id: string): Promise<McpTemplateView[]> {
    const listed = await this.#listed(id, (host) => host.resources.templates(id));
    return listed.map(({ icons: _icons, ...template }) => template);
  }

  /** Prompts of connected servers only; waits for no other. */
  async prompts(): Promise<McpPromptList> {
    const { prompts, failures } = await this.host.getAllPrompts();
    const { ids: order } = this.editable.serverList;
    const items = prompts
      .map(({ icons: _icons, ...prompt }) => prompt)
      .sort((one, other) => order.indexOf(one.serverId) - order.indexOf(other.serverId));
    const publicFailures = failures.map((failure) => ({
      ...failure,
      error: redactedError(failure.error, this.editable.redactor(failure.serverId)),
    }));
    return { items, failures: publicFailures };
  }

  /** A list of a ready server. @throws ToolyardError with the reason if it is not ready */
  async #listed<T>(id: string, look: (host: McpHost) => readonly T[]): Promise<readonly T[]> {
    return this.use(id, undefined, async (host) => {
      await host.whenListed(id, undefined, LIST_WAIT_MS);
      const health = this.findHealth(id);
      if (health?.error !== undefined && health.state !== 'ready') throw new ToolyardError(health.error);
      return look(host);
    });
  }

  /**
   * Makes requests to a server that is connected if needed, and kept connected for a while. Its errors do not repeat
   * secrets of its configuration.
   */
  async use<T>(id: string, signal: AbortSignal | undefined, ask: (host: McpHost) => Promise<T>): Promise<T> {
    const { connections, editable, host } = this;
    await this.#ready(id, signal);
    connections.use(id, 1);
    try {
      return await ask(host);
    } catch (thrown) {
      if (!ToolyardError.isInstance(thrown)) throw thrown;
      throw new ToolyardError(redactedError(thrown.toJSON(), editable.redactor(id)), { cause: thrown });
    } finally {
      connections.use(id, -1);
    }
  }

  async #ready(id: string, signal?: AbortSignal): Promise<void> {
    this.editable.getConfig(id);
    await this.connections.ready(id, signal);
  }

  /** Checks that a request may change the connection of a server. @throws ToolyardError `conflict` for a fault */
  checkChange(principal: Owner, id: string): void {
    this.editable.check(principal, id);
    this.editable.getConfig(id);
  }

  /** The view of a server once its attempt to connect is over, or after a while. */
  async settled(principal: Owner, id: string): Promise<McpServerView> {
    await this.host.whenSettled([id], undefined, CONNECT_WAIT_MS);
    return this.editable.view(principal, id);
  }

  /** The health of a server; undefined if it is not known. */
  findHealth(id: string): ServerHealth | undefined {
    return this.host.health().find((each) => each.id === id);
  }
}
