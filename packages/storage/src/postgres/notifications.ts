import { randomUUID } from 'node:crypto';
import pg from 'pg';
import type { NotificationChannel } from '../notifications.ts';
import type { EventRow } from '../runs/run-reader.ts';
import { toEvent } from '../runs/run-reader.ts';
import { readAddress } from './address.ts';
import type { PostgresConnection } from './connection.ts';

const CHANNEL = 'toolyard';
/** Poll interval, in case a notification is lost. */
const POLL_INTERVAL_MS = 1_000;
const RECONNECT_MS = 500;
/**
 * How long to wait for a skipped id: ids are assigned before their rows become visible, so rows may appear out of
 * order.
 */
const MISSED_FOR_MS = 10_000;
const MAX_MISSED = 1_000;
const KEEP_SECONDS = 60;
const SWEEP_EVERY_MS = 20_000;

/**
 * A query per run would dominate the load of a process that follows hundreds of runs. LATERAL uses the index for each
 * run: a join would read all stored events of these runs.
 */
const READ_EVENTS = `
  SELECT followed.run_id, e.v, e.seq, e.step, e.attempt, e.at, e.body
  FROM unnest(CAST($1 AS TEXT[]), CAST($2 AS TEXT[]), CAST($3 AS BIGINT[])) AS followed (run_id, owner_id, after_seq)
  CROSS JOIN LATERAL (
    SELECT v, seq, step, attempt, at, body FROM run_events
    WHERE run_id = followed.run_id AND seq > followed.after_seq AND owner_id = followed.owner_id ORDER BY seq LIMIT $4
  ) AS e
  ORDER BY followed.run_id, e.seq LIMIT $4`;

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
  const insert = notify
    ? `WITH inserted AS (INSERT INTO bulletins (sender, body) VALUES ($1, $2) RETURNING 1)
       SELECT pg_notify('${CHANNEL}', $1) FROM inserted`
    : 'INSERT INTO bulletins (sender, body) VALUES ($1, $2)';
  let listening: Listening | null = null;
  return {
    async send(body) {
      await connection.query(insert, [sender, body]);
    },
    listen(onMessages, onMissed) {
      listening = new Listening({ url: readAddress(url).url, sender, notify, onMessages, onMissed });
      listening.start();
    },
    async readEvents(runs, limit) {
      const { rows } = await connection.query(READ_EVENTS, [
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
  onMessages: (bodies: readonly string[]) => void;
  onMissed: () => void;
};

/** A dedicated connection, which is reopened whenever it is lost. */
class Listening {
  readonly #options: ListeningOptions;
  #client: pg.Client | null = null;
  #timer: NodeJS.Timeout | undefined;
  /** Every row up to this id was read or is older than this listener, except for the missed ones. */
  #lastReadId = 0;
  /** Ids whose rows were not visible when later ones were, and since when. */
  readonly #missedIds = new Map<number, number>();
  #isPolling = false;
  #pollAgain = false;
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
    const { url, notify, onMissed: missed, sender } = this.#options;
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
      if (payload !== sender) this.#poll();
    });
    client.on('end', () => this.#connectionLost(client));
    try {
      await client.connect();
      if (notify) await client.query(`LISTEN ${CHANNEL}`);
      const { rows } = await client.query<{ last: string }>('SELECT coalesce(max(id), 0) AS last FROM bulletins');
      this.#lastReadId = Number(rows[0]?.last ?? 0);
      this.#missedIds.clear();
    } catch {
      this.#connectionLost(client);
      return;
    }
    if (this.#connectedBefore) missed();
    this.#connectedBefore = true;
    this.#poll();
  }

  #connectionLost(client: pg.Client): void {
    if (this.#closed || this.#client !== client) return;
    this.#client = null;
    this.#isPolling = false;
    client.end().catch(() => {});
    this.#wakeIn(RECONNECT_MS, () => void this.#connect());
  }

  #wakeIn(ms: number, work: () => void): void {
    clearTimeout(this.#timer);
    if (this.#closed) return;
    this.#timer = setTimeout(work, ms);
    this.#timer.unref();
  }

  #poll(): void {
    this.#pollAgain = true;
    if (this.#isPolling || this.#closed) return;
    const client = this.#client;
    if (!client) return;
    this.#isPolling = true;
    void this.#readAll(client).then(
      () => {
        if (this.#client !== client) return;
        this.#isPolling = false;
        this.#wakeIn(POLL_INTERVAL_MS, () => this.#poll());
      },
      () => this.#connectionLost(client),
    );
  }

  async #readAll(client: pg.Client): Promise<void> {
    while (this.#pollAgain && !this.#closed) {
      this.#pollAgain = false;
      const { rows } = await client.query<Row>({
        name: 'bulletins',
        text: `SELECT id, CASE WHEN sender <> $3 THEN body END AS body FROM (
            SELECT * FROM bulletins WHERE id > $1 UNION ALL SELECT * FROM bulletins WHERE id = ANY (CAST($2 AS BIGINT[]))
          ) AS unread ORDER BY id`,
        values: [this.#lastReadId, [...this.#missedIds.keys()], this.#options.sender],
      });
      this.#receive(rows);
      await this.#sweep(client);
    }
  }

  #receive(rows: readonly Row[]): void {
    const now = performance.now();
    const bodies: string[] = [];
    for (const { id, body } of rows) {
      this.#noteMissed(Number(id), now);
      if (body !== null) bodies.push(body);
    }
    for (const [id, since] of this.#missedIds) {
      if (now - since < MISSED_FOR_MS && this.#missedIds.size <= MAX_MISSED) break;
      this.#missedIds.delete(id);
    }
    if (bodies.length > 0 && !this.#closed) this.#options.onMessages(bodies);
  }

  #noteMissed(id: number, now: number): void {
    this.#missedIds.delete(id);
    if (id <= this.#lastReadId) return;
    const from = Math.max(this.#lastReadId + 1, id - MAX_MISSED);
    for (let between = from; between < id; between++) this.#missedIds.set(between, now);
    this.#lastReadId = id;
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
