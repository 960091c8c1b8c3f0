import { createEraMemory } from '../connection/era-memory.ts';
import { Flows } from './flows.ts';
import { HostCalls } from './host-calls.ts';
import type { McpHostOptions } from './host-options.ts';
import { SignIns } from '../oauth/sign-ins.ts';
import { ResourceStore } from '../catalogue/resource-store.ts';
import { makePlace } from './server-place.ts';
import { ServerSet } from './server-set.ts';
import type { ServerSlot } from './server-slot.ts';
import { ToolTrust } from '../catalogue/trust.ts';
import type { LogLevel } from '../types.ts';

/** What a host is made of, joined together. */
export class HostParts {
  readonly flows: Flows;
  readonly servers: ServerSet;
  readonly trust: ToolTrust;
  readonly signIns: SignIns;
  readonly resources: ResourceStore;
  readonly calls: HostCalls;
  /** From which level on servers that are connected from now on are to log; undefined as they like. */
  logLevel: LogLevel | undefined;

  /** @throws ToolyardError `bad_config` for the id of a server */
  constructor(options: McpHostOptions) {
    const { clock } = options;
    const eraMemory = options.eraMemory ?? createEraMemory();
    this.logLevel = options.logLevel;
    this.flows = new Flows(clock);
    this.trust = new ToolTrust(options.pins ?? new Map());
    this.signIns = new SignIns(options);
    this.servers = new ServerSet(clock, (config, after) =>
      makePlace(config, after, {
        options,
        eraMemory,
        signIns: this.signIns,
        resources: () => this.resources,
        logLevel: () => this.logLevel,
        onChange: (slot) => this.#changed(slot),
      }),
    );
    this.calls = new HostCalls(this.servers, this.flows, this.trust);
    this.resources = new ResourceStore({
      clock,
      catalogue: (id) => this.servers.find(id)?.catalogue,
      read: (id, uri, more) => this.calls.ask(id, more, (session) => session.readResource(uri, more)),
      follow: async (id, wanted, added, removed) => this.servers.find(id)?.session?.follow(wanted, added, removed),
    });
    for (const config of options.servers) this.servers.add(config);
  }

  #changed(slot: ServerSlot): void {
    if (slot.stage === 'ready') this.trust.review(slot.config, slot.tools);
    this.servers.tell(slot.config.id);
  }
}
