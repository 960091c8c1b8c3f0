import type { Clock, Owner } from '@toolyard/protocol';
import { messageOf } from '@toolyard/protocol';
import type { LeasedServer, LiveProcess, Processes } from '@toolyard/storage';
import type { LogOnce } from '../log-once.ts';
import { createLogOnce } from '../log-once.ts';
import type { Role } from './role.ts';

/** As long as that of a run: what a process had that died is taken over within 15 s. */
const LEASE_MS = 10_000;
const BEAT_MS = 2_000;

export type ProcessHeartbeatOptions = {
  processes: Processes;
  id: string;
  role: Role;
  /** Whose servers they are. */
  owner: Owner;
  clock: Pick<Clock, 'now' | 'after'>;
  log: (line: string) => void;
  /** How long it is believed to live without a sign of it; default 10 s. */
  leaseMs?: number;
  /** Those it may have, as they are configured now. */
  mayHave: () => readonly string[];
  /** This process has them from now on, or no longer. */
  onHeld: (serverIds: readonly string[]) => void;
  onLost: (serverIds: readonly string[]) => void;
  /** What there is to say of a server, as JSON. */
  describe: (serverId: string) => string | undefined;
  /** The rows of a server have changed: others are to look. */
  tell: (serverId: string) => void;
  /** Looked at after each beat, also where nobody was told anything. */
  onBeat: () => void;
};

/** Says that this process lives, has its share of the servers, and says how they are. */
export class ProcessHeartbeat {
  readonly #options: ProcessHeartbeatOptions;
  readonly #telling: LogOnce;
  readonly #leaseMs: number;
  #self: LiveProcess & { startedAt: number };
  readonly #held = new Set<string>();
  readonly #said = new Map<string, string>();
  /** One thing after the other. */
  #turn: Promise<void> = Promise.resolve();
  #looking = false;
  /** `leaving`: it takes nothing more, and what it has it keeps alive; `gone`: it says nothing any more. */
  #state: 'before' | 'there' | 'leaving' | 'gone' = 'before';
  #callOff: () => void = () => undefined;

  constructor(options: ProcessHeartbeatOptions) {
    const { id, role, clock, leaseMs = LEASE_MS } = options;
    this.#options = options;
    this.#leaseMs = leaseMs;
    this.#telling = createLogOnce(options.log);
    this.#self = { id, role, address: null, startedAt: clock.now() };
  }

  /** From now on it is there, at this address, if others may reach it. */
  async start(address: string | null): Promise<void> {
    this.#self = { ...this.#self, address };
    this.#state = 'there';
    await this.#beat();
  }

  holds(serverId: string): boolean {
    return this.#held.has(serverId);
  }

  /** Something may be free that was not, or wanted that was not. */
  look(): void {
    if (this.#looking || this.#state !== 'there') return;
    this.#looking = true;
    void this.#inTurn(async () => {
      this.#looking = false;
      await this.#share();
    });
  }

  /** Something about a server has changed here. */
  changed(serverId: string): void {
    if (!this.#held.has(serverId)) return;
    void this.#inTurn(() => this.#say(serverId));
  }

  servers(): Promise<LeasedServer[]> {
    return this.#options.processes.servers(this.#options.owner);
  }

  living(): Promise<LiveProcess[]> {
    return this.#options.processes.living();
  }

  /** Takes no more servers; those it has it keeps. */
  beginLeaving(): void {
    this.#state = 'leaving';
  }

  /** It is not there any more, and what it had is free. */
  async leave(): Promise<void> {
    this.#state = 'gone';
    this.#callOff();
    await this.#turn;
    const held = [...this.#held];
    this.#held.clear();
    const { processes, id, tell, log } = this.#options;
    await processes.leave(id).catch((thrown: unknown) => log(`roles: ${messageOf(thrown)}`));
    for (const serverId of held) tell(serverId);
  }

  async #beat(): Promise<void> {
    await this.#inTurn(async () => {
      const { processes, onLost } = this.#options;
      const still = new Set((await processes.live(this.#self, this.#leaseMs)).map(({ serverId }) => serverId));
      const gone = [...this.#held].filter((id) => !still.has(id));
      this.#forget(gone);
      // The rows were lost in a crash of the database, or nobody wanted them meanwhile: nothing here need end.
      const back = await processes.take(this.#options.owner, this.#self, gone, this.#leaseMs);
      for (const id of back) this.#held.add(id);
      for (const id of back) await this.#say(id);
      const lost = gone.filter((id) => !this.#held.has(id));
      if (lost.length > 0) onLost(lost);
      await this.#share();
    });
    // It may have left in the middle of this one.
    if (this.#state === 'gone') return;
    this.#options.onBeat();
    this.#callOff = this.#options.clock.after(BEAT_MS, () => void this.#beat());
  }

  /** Takes what is free, and gives back what it is not to have any more. */
  async #share(): Promise<void> {
    if (this.#state !== 'there') return;
    const { processes, owner, mayHave, onHeld, onLost, tell } = this.#options;
    const wanted = new Set(mayHave());
    const superfluous = [...this.#held].filter((id) => !wanted.has(id));
    if (superfluous.length > 0) {
      this.#forget(superfluous);
      onLost(superfluous);
      await processes.giveBack(owner, this.#self.id, superfluous);
      for (const id of superfluous) tell(id);
    }
    const free = [...wanted].filter((id) => !this.#held.has(id));
    const taken = await processes.take(owner, this.#self, free, this.#leaseMs);
    if (taken.length === 0) return;
    for (const id of taken) this.#held.add(id);
    onHeld(taken);
    for (const id of taken) await this.#say(id);
  }

  async #say(serverId: string): Promise<void> {
    const { processes, owner, describe, tell } = this.#options;
    if (!this.#held.has(serverId)) return;
    const catalogue = describe(serverId);
    if (catalogue === undefined || this.#said.get(serverId) === catalogue) return;
    if (!(await processes.say(owner, this.#self.id, serverId, catalogue))) return;
    this.#said.set(serverId, catalogue);
    tell(serverId);
  }

  #forget(serverIds: readonly string[]): void {
    for (const id of serverIds) {
      this.#held.delete(id);
      this.#said.delete(id);
    }
  }

  /** What goes wrong is told once, and is done again with the next beat. */
  #inTurn(work: () => Promise<void>): Promise<void> {
    this.#turn = this.#turn.then(work).then(
      () => this.#telling.worked(),
      (thrown: unknown) => this.#telling.failed('roles', thrown),
    );
    return this.#turn;
  }
}
