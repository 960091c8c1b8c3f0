import type {
  ConversationSummary,
  ConversationView,
  MessagePage,
  Principal,
  StoredInterrupt,
} from '@toolyard/protocol';
import { defined } from '@toolyard/protocol';
import type { FoundConversation, StoredConversation } from '@toolyard/storage';
import { readStoredConfiguration } from '../../config/agent-configuration.ts';
import { allInterrupts } from '../../runs/read/all-interrupts.ts';
import { readEnd } from '../../runs/read/read-end.ts';
import { conversationTranslations } from './conversation-translations.ts';
import { notFound } from '../problems.ts';
import { toRunView } from './run-view.ts';
import type { HttpAppOptions } from '../types.ts';

/** Messages returned when a conversation is opened. */
const FIRST_PAGE = 60;

/** @throws ProblemAnswer 404 if the owner has no such conversation */
export async function findConversation(
  { storage }: Pick<HttpAppOptions, 'storage'>,
  principal: Principal,
  id: string,
): Promise<StoredConversation> {
  const conversation = await storage.conversations.get(principal, id);
  if (conversation === null) throw notFound('conversation', id);
  return conversation;
}

/** The entry of a conversation in lists. */
export function toSummary(
  conversation: StoredConversation,
  hit: Partial<Pick<FoundConversation, 'snippet' | 'messageId'>> = {},
): ConversationSummary {
  const { id, title, agentId, groupId, pinned, createdAt, updatedAt, activeRun } = conversation;
  return {
    id,
    title,
    agentId,
    pinned,
    createdAt,
    updatedAt,
    activeRun,
    ...(groupId === null ? {} : { groupId }),
    ...defined({ snippet: hit.snippet, messageId: hit.messageId }),
  };
}

/** All data needed to open a conversation. */
export async function toView(
  deps: Pick<HttpAppOptions, 'storage' | 'configurations'>,
  principal: Principal,
  conversation: StoredConversation,
): Promise<ConversationView> {
  const { storage, configurations } = deps;
  const { id, agentId, leafId, activeRun } = conversation;
  const configuration = readStoredConfiguration(conversation.configuration);
  const [page, queue, resolved, translations] = await Promise.all([
    storage.messages.page(principal, id, { limit: FIRST_PAGE }),
    storage.queue.list(principal, id),
    configurations.resolve(principal, { agentId, conversation: configuration }),
    conversationTranslations(storage, principal, id),
  ]);
  const interrupts: StoredInterrupt[] = [];
  for await (const asked of allInterrupts(storage.runs, principal, { status: 'open', conversationId: id })) {
    interrupts.push(asked);
  }
  const run = activeRun === null ? null : await storage.runs.getRun(principal, activeRun.id);
  const { activeRun: _status, ...summary } = toSummary(conversation);
  const parent = await findParent(storage, principal, conversation);
  return {
    ...summary,
    ...defined({ parent }),
    configuration,
    leafId,
    resolved,
    page,
    activeRun: run === null ? null : toRunView(run),
    ...defined({ ended: run === null ? await readLastEnd(storage, principal, page) : undefined }),
    queue,
    interrupts,
    ...(translations.length === 0 ? {} : { translations }),
  };
}

/** How the run of the last messages ended; undefined if it is done, or not known. */
async function readLastEnd(
  { runs }: HttpAppOptions['storage'],
  principal: Principal,
  { messages }: MessagePage,
): Promise<ConversationView['ended']> {
  const last = messages.findLast(({ role }) => role === 'assistant' || role === 'user');
  // A run has the id of the message that started it; a message that steered one does not.
  const started = last?.role === 'user' ? await runs.getRun(principal, last.id) : null;
  const answer = messages.findLast(({ role }) => role === 'assistant');
  const run = started ?? (answer?.role === 'assistant' ? await runs.getRun(principal, answer.runId) : null);
  if (run?.status !== 'failed' && run?.status !== 'cancelled') return undefined;
  const end = await readEnd(runs, principal, run.id);
  return { runId: run.id, status: run.status, ...defined({ error: end?.error }) };
}

/** The conversation that started a sub-agent; undefined for any other conversation. */
async function findParent(
  storage: HttpAppOptions['storage'],
  principal: Principal,
  { parent }: StoredConversation,
): Promise<ConversationView['parent']> {
  if (parent === null) return undefined;
  const above = await storage.conversations.get(principal, parent.conversationId);
  return { ...parent, title: above?.title ?? '' };
}
