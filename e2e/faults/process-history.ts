import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { ConversationView, RunEvent } from '@toolyard/protocol';
import { queryDatabase } from '@toolyard/testing/postgres';
import type { ServerInstances } from '../support/server-instances.ts';
import { CONVERSATION } from '../support/test-user.ts';
import type { History, SteeredMessage } from './history.ts';
import type { Query } from './stored.ts';
import { readStored } from './stored.ts';

export type LivesRecord = {
  lives: ServerInstances;
  /** The events that were read of each run. */
  runs: readonly (readonly RunEvent[])[];
  view: ConversationView;
  steered?: readonly SteeredMessage[];
  /** A call reaches the tool again with each answer of the user, and takes effect once. */
  asksInCalls?: boolean;
};

/** What is recorded of a conversation over any number of lives of the server. */
export async function readHistory({
  lives,
  runs,
  view,
  steered = [],
  asksInCalls = false,
}: LivesRecord): Promise<History> {
  const query = createQuery(lives);
  const stored = await readStored(query);
  const agents = await query('SELECT id, agent_id FROM conversations WHERE parent_id IS NOT NULL');
  const members = new Map(agents.map(({ id, agent_id: agentId }) => [String(id), agentId]));
  const getTask = (conversationId: string): string => {
    const agentId = members.get(conversationId);
    return typeof agentId === 'string' ? agentId : readNumber(conversationId);
  };
  const readings = runs.flatMap((events) => {
    const runId = events[0]?.runId;
    return runId === undefined ? [] : [{ reader: 'the user', runId, events }];
  });
  return {
    ...stored,
    asked: readings.map(({ runId }) => runId),
    writes: [],
    steered,
    sentToModel: new Map(steered.map(({ text }) => [text, lives.mostOftenInRequest(text)])),
    malformed: lives.faults,
    effects: asksInCalls ? null : lives.effects,
    counted: lives.counted,
    requests: new Map(
      stored.usage.map(({ conversationId }) => [conversationId, lives.countModelRequests(getTask(conversationId))]),
    ),
    interruptions: new Map(stored.usage.map(({ conversationId }) => [conversationId, lives.kills])),
    readings,
    conversations: [{ id: CONVERSATION, events: runs.flat(), view }],
    schedules: [],
    failings: [],
    outages: [],
  };
}

/** The number of the task that a sub-agent has; empty for any other conversation. */
function readNumber(conversationId: string): string {
  return /\.task\.(\d+)$/.exec(conversationId)?.[1] ?? '';
}

/** Reads from the database or the data folder of these lives. */
export function createQuery(lives: ServerInstances): Query {
  if (lives.databaseUrl !== '') return (statement) => queryDatabase(lives.databaseUrl, statement);
  return async (statement) => {
    using db = new DatabaseSync(join(lives.dataDir, 'toolyard.db'));
    return await Promise.resolve(db.prepare(statement).all());
  };
}
