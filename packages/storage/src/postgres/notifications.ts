import { randomUUID } from 'node:crypto';
import pg from 'pg';
import type { NotificationChannel } from '../notifications.ts';
import type { EventRow } from '../runs/run-reader.ts';
import { toEvent } from '../runs/run-reader.ts';
import { readAddress } from './address.ts';
import type { PostgresConnection } from './connection.ts';

const CHANNEL = 'toolyard';
/** Poll interval, in case a notification is lost. */
const LOOK_EVERY_MS = 1_000;
const RECONNECT_MS = 500;
/**
 * How long to wait for a skipped id: ids are assigned before their rows become visible, so rows may appear out of
 * order.
 */
const MISSED_FOR_MS = 10_000;
const MOST_MISSED = 1_000;
const KEEP_SECONDS = 60;
const SWEEP_EVERY_MS = 20_000;

/**
 * A query per run would dominate the load of a process that follows hundreds of runs. LATERAL uses the index for each
 * run: a join would read all stored events of these runs.
 */
const READ_ON = `
  SELECT told.run_id, e.v, e.seq, e.step, e.attempt, e.at, e.body
  FROM unnest(CAST($1 AS TEXT[]), CAST($2 AS TEXT[]), CAST($3 AS BIGINT[])) AS told (run_id, owner_id, after_seq)
  CROSS JOIN LATERAL (
    SELECT v, seq, step, attempt, at, body FROM run_events
    WHERE run_id = told.run_id AND seq > told.after_seq AND owner_id = told.owner_id ORDER BY seq LIMIT $4
  ) AS e
  ORDER BY told.run_id, e.seq LIMIT $4`;

export type NotificationChannelOptions = {
  url: string;
  connection: PostgresConnection;
  /** False: sends no notifications; processes poll once a second. */
  notify?: boolean;
};

/** The body is null for the process's own rows. */
type Row = { id: string; body: string | null };

/** The rows contain the messages; a notification only signals that there are new ones, and may be lost. */
export function createNotificationChannel({
  url,
  connection,
  notify = true,
}: NotificationChannelOptions): NotificationChannel {
  const sender = randomUUID();
  const telling = notify
    ? `WITH told AS (INSERT INTO bulletins (sender, body) VALUES ($1, $2) RETURNING 1)
       SELECT pg_notify('${CHANNEL}', $1) FROM told`
    : 'INSERT INTO bulletins (sender, body) VALUES ($1, $2)';
  let listening: Listening | null = null;
  return {
    async tell(body) {
      await connection.query(telling, [sender, body]);
    },
    listen(heard, missed) {
      listening = new Listening({ url: readAddress(url).url, sender, notify, heard, missed });
      listening.start();
    },
    async readOn(runs, limit) {
      const { rows } = await connection.query(READ_ON, [
        runs.map(({ runId }) => runId),
        runs.map(({ ownerId }) => ownerId),
        runs.map(({ afterSeq }) => afterSeq),
        limit,
      ]);
      return (rows as (EventRow & { run_id: string })[]).map(({ run_id: runId, ...row }) => toEvent(runId, row));
    },
    async close() {
      await listening?.close();
    },
  };
}

type ListeningOptions = {
  url: string;
  sender: string;
  notify: boolean;
  heard: (bodies: readonly string[]) => void;
  missed: () => void;
};

/** A dedicated connection, which is reopened whenever it is lost. */
class Listening {
  readonly #options: ListeningOptions;
  #client: pg.Client | null = null;
  #timer: NodeJS.Timeout | undefined;
  /** Every row up to this id was read or is older than this listener, except for the missed ones. */
  #readUpTo = 0;
  /** Ids whose rows were not visible when later ones were, and since when. */
  readonly #missed = new Map<number, number>();
  #looking = false;
  #again = false;
  #connectedBefore = false;
  #sweptAt = 0;
  #closed = false;

  constructor(options: ListeningOptions) {
    this.#options = options;
  }

  start(): void {
    void this.#connect();
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#drop();
  }

  async #connect(): Promise<void> {
    const { url, notify, missed, sender } = this.#options;
    const client = new pg.Client({
      connectionString: url,
      application_name: 'toolyard bulletins',
      keepAlive: true,
      connectionTimeoutMillis: 5_000,
      query_timeout: 30_000,
    });
    this.#client = client;
    client.on('error', () => {});
    client.on('notification', ({ payload }) => {
      if (payload !== sender) this.#look();
    });
    client.on('end', () => this.#lost(client));
    try {
      await client.connect();
      if (notify) await client.query(`LISTEN ${CHANNEL}`);
      const { rows } = await client.query<{ last: string }>('SELECT coalesce(max(id), 0) AS last FROM bulletins');
      this.#readUpTo = Number(rows[0]?.last ?? 0);
      this.#missed.clear();
    } catch {
      this.#lost(client);
      return;
    }
    if (this.#connectedBefore) missed();
    this.#connectedBefore = true;
    this.#look();
  }

  #lost(client: pg.Client): void {
    if (this.#closed || this.#client !== client) return;
    this.#client = null;
    this.#looking = false;
    client.end().catch(() => {});
    this.#wakeIn(RECONNECT_MS, () => void this.#connect());
  }

  #wakeIn(ms: number, work: () => void): void {
    clearTimeout(this.#timer);
    if (this.#closed) return;
    this.#timer = setTimeout(work, ms);
    this.#timer.unref();
  }

  #look(): void {
    this.#again = true;
    if (this.#looking || this.#closed) return;
    const client = this.#client;
    if (!client) return;
    this.#looking = true;
    void this.#readAll(client).then(
      () => {
        if (this.#client !== client) return;
        this.#looking = false;
        this.#wakeIn(LOOK_EVERY_MS, () => this.#look());
      },
      () => this.#lost(client),
    );
  }

  async #readAll(client: pg.Client): Promise<void> {
    while (this.#again && !this.#closed) {
      this.#again = false;
      const { rows } = await client.query<Row>({
        name: 'bulletins',
        text: `SELECT id, CASE WHEN sender <> $3 THEN body END AS body FROM (
            SELECT * FROM bulletins WHERE id > $1 UNION ALL SELECT * FROM bulletins WHERE id = ANY (CAST($2 AS BIGINT[]))
          ) AS heard ORDER BY id`,
        values: [this.#readUpTo, [...this.#missed.keys()], this.#options.sender],
      });
      this.#hear(rows);
      await this.#sweep(client);
    }
  }

  #hear(rows: readonly Row[]): void {
    const now = performance.now();
    const bodies: string[] = [];
    for (const { id, body } of rows) {
      this.#note(Number(id), now);
      if (body !== null) bodies.push(body);
    }
    for (const [id, since] of this.#missed) {
      if (now - since < MISSED_FOR_MS && this.#missed.size <= MOST_MISSED) break;
      this.#missed.delete(id);
    }
    if (bodies.length > 0 && !this.#closed) this.#options.heard(bodies);
  }

  #note(id: number, now: number): void {
    this.#missed.delete(id);
    if (id <= this.#readUpTo) return;
    const from = Math.max(this.#readUpTo + 1, id - MOST_MISSED);
    for (let between = from; between < id; between++) this.#missed.set(between, now);
    this.#readUpTo = id;
  }

  async #sweep(client: pg.Client): Promise<void> {
    const now = performance.now();
    if (now - this.#sweptAt < SWEEP_EVERY_MS) return;
    this.#sweptAt = now;
    await client.query(`DELETE FROM bulletins WHERE told_at < clock_timestamp() - interval '${KEEP_SECONDS} seconds'`);
  }

  async #drop(): Promise<void> {
    const client = this.#client;
    this.#client = null;
    await client?.end().catch(() => {});
  }
}
