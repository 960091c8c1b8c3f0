import type { Clock, Owner } from '@toolyard/protocol';
import { messageOf } from '@toolyard/protocol';
import type { LeasedServer, LiveProcess, Processes } from '@toolyard/storage';
import type { LogOnce } from '../log-once.ts';
import { createLogOnce } from '../log-once.ts';
import type { Role } from './role.ts';

/** As long as the lease of a run: failover of a crashed process takes at most 15 s. */
const LEASE_MS = 10_000;
const BEAT_MS = 2_000;

export type ProcessHeartbeatOptions = {
  processes: Processes;
  id: string;
  role: Role;
  /** Owner of the servers. */
  owner: Owner;
  clock: Pick<Clock, 'now' | 'after'>;
  log: (line: string) => void;
  /** Lease without a renewing heartbeat; default 10 s. */
  leaseMs?: number;
  /** The ids of the servers this process may host, as configured now. */
  mayHave: () => readonly string[];
  /** Called with the servers that this process hosts from now on. */
  onHeld: (serverIds: readonly string[]) => void;
  onLost: (serverIds: readonly string[]) => void;
  /** JSON to publish about a server. */
  describe: (serverId: string) => string | undefined;
  /** Notifies other processes that the rows of a server have changed. */
  notify: (serverId: string) => void;
  /** Called after each heartbeat, to poll for missed notifications. */
  onBeat: () => void;
};

/** Renews the lease of this process, claims its share of the servers, and publishes their state. */
export class ProcessHeartbeat {
  readonly #options: ProcessHeartbeatOptions;
  readonly #logFailures: LogOnce;
  readonly #leaseMs: number;
  #self: LiveProcess & { startedAt: number };
  readonly #held = new Set<string>();
  readonly #described = new Map<string, string>();
  /** Operations run one after the other. */
  #turn: Promise<void> = Promise.resolve();
  #looking = false;
  /** `leaving`: claims nothing more but renews its leases; `gone`: writes nothing more. */
  #state: 'before' | 'there' | 'leaving' | 'gone' = 'before';
  #callOff: () => void = () => undefined;

  constructor(options: ProcessHeartbeatOptions) {
    const { id, role, clock, leaseMs = LEASE_MS } = options;
    this.#options = options;
    this.#leaseMs = leaseMs;
    this.#logFailures = createLogOnce(options.log);
    this.#self = { id, role, address: null, startedAt: clock.now() };
  }

  /** Announces the process, with its URL if other processes may reach it. */
  async start(address: string | null): Promise<void> {
    this.#self = { ...this.#self, address };
    this.#state = 'there';
    await this.#beat();
  }

  holds(serverId: string): boolean {
    return this.#held.has(serverId);
  }

  /** Checks for servers to claim. */
  look(): void {
    if (this.#looking || this.#state !== 'there') return;
    this.#looking = true;
    void this.#inTurn(async () => {
      this.#looking = false;
      await this.#share();
    });
  }

  /** Publishes a change of a server here. */
  changed(serverId: string): void {
    if (!this.#held.has(serverId)) return;
    void this.#inTurn(() => this.#say(serverId));
  }

  servers(): Promise<LeasedServer[]> {
    return this.#options.processes.servers(this.#options.owner);
  }

  living(): Promise<LiveProcess[]> {
    return this.#options.processes.listLive();
  }

  /** Claims no more servers, and keeps those it has. */
  beginLeaving(): void {
    this.#state = 'leaving';
  }

  /** Removes the process and releases its servers. */
  async leave(): Promise<void> {
    this.#state = 'gone';
    this.#callOff();
    await this.#turn;
    const held = [...this.#held];
    this.#held.clear();
    const { processes, id, notify, log } = this.#options;
    await processes.remove(id).catch((thrown: unknown) => log(`roles: ${messageOf(thrown)}`));
    for (const serverId of held) notify(serverId);
  }

  async #beat(): Promise<void> {
    await this.#inTurn(async () => {
      const { processes, onLost } = this.#options;
      const still = new Set((await processes.heartbeat(this.#self, this.#leaseMs)).map(({ serverId }) => serverId));
      const gone = [...this.#held].filter((id) => !still.has(id));
      this.#forget(gone);
      // The rows were lost in a crash of the database, or expired without being claimed: keep the servers.
      const back = await processes.take(this.#options.owner, this.#self, gone, this.#leaseMs);
      for (const id of back) this.#held.add(id);
      for (const id of back) await this.#say(id);
      const expired = gone.filter((id) => !this.#held.has(id));
      if (expired.length > 0) onLost(expired);
      await this.#share();
    });
    // It may have left during this heartbeat.
    if (this.#state === 'gone') return;
    this.#options.onBeat();
    this.#callOff = this.#options.clock.after(BEAT_MS, () => void this.#beat());
  }

  /** Claims free servers, and releases those it may not host any more. */
  async #share(): Promise<void> {
    if (this.#state !== 'there') return;
    const { processes, owner, mayHave, onHeld, onLost, notify } = this.#options;
    const mayHold = new Set(mayHave());
    const superfluous = [...this.#held].filter((id) => !mayHold.has(id));
    if (superfluous.length > 0) {
      this.#forget(superfluous);
      onLost(superfluous);
      await processes.release(owner, this.#self.id, superfluous);
      for (const id of superfluous) notify(id);
    }
    const free = [...mayHold].filter((id) => !this.#held.has(id));
    const taken = await processes.take(owner, this.#self, free, this.#leaseMs);
    if (taken.length === 0) return;
    for (const id of taken) this.#held.add(id);
    onHeld(taken);
    for (const id of taken) await this.#say(id);
  }

  async #say(serverId: string): Promise<void> {
    const { processes, owner, describe, notify } = this.#options;
    if (!this.#held.has(serverId)) return;
    const catalogue = describe(serverId);
    if (catalogue === undefined || this.#described.get(serverId) === catalogue) return;
    if (!(await processes.publish(owner, this.#self.id, serverId, catalogue))) return;
    this.#described.set(serverId, catalogue);
    notify(serverId);
  }

  #forget(serverIds: readonly string[]): void {
    for (const id of serverIds) {
      this.#held.delete(id);
      this.#described.delete(id);
    }
  }

  /** Logs an error once; the next heartbeat retries. */
  #inTurn(work: () => Promise<void>): Promise<void> {
    this.#turn = this.#turn.then(work).then(
      () => this.#logFailures.worked(),
      (thrown: unknown) => this.#logFailures.failed('roles', thrown),
    );
    return this.#turn;
  }
}
