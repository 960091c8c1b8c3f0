import { randomUUID } from 'node:crypto';
import type { Message } from '../../packages/protocol/src/index.ts';
import { systemClock } from '../../packages/protocol/src/index.ts';
import { openStorage } from '../../packages/storage/src/index.ts';
import { sampleMarkdown } from '../harness/sample-markdown.ts';

// Copied from packages/server, whose types conflict with DOM types.
const OWNER = { ownerId: 'owner' };

/** A conversation to write. `lastWords` occur in its last message. `answerSize`: of each answer, in characters. */
type Filled = { title: string; messages: number; lastWords: string; answerSize?: number };

/** Writes a conversation into the data folder of no running server, and returns its id. */
export async function fillConversation(
  folder: string,
  { title, messages, lastWords, answerSize }: Filled,
): Promise<string> {
  const storage = await openStorage({ folder, clock: systemClock });
  try {
    const id = randomUUID();
    const at = Date.now() - messages * 1_000;
    await storage.conversations.create(OWNER, { id, title, at });
    const [userMessage, ...others] = createMessages(messages, { from: at, id, lastWords, answerSize });
    if (!userMessage) return id;
    const terms = { owner: randomUUID(), ms: 60_000 };
    const runId = randomUUID();
    // One transaction, because each one waits for the disk.
    const created = storage.runs.createRun(OWNER, {
      id: runId,
      conversationId: id,
      place: 'server',
      at,
      messages: [userMessage],
      leaf: userMessage.id,
      lease: terms,
    });
    if (created.outcome !== 'created') throw new Error(`the run was not created: ${created.outcome}`);
    const [stored] = storage.runs.commit([
      {
        runId,
        fence: created.run.fence,
        baseSeq: 0,
        events: [],
        status: 'done',
        messages: others.map((message) => ({ conversationId: id, message })),
        leaf: { from: userMessage.id, to: others.at(-1)?.id ?? userMessage.id },
        durability: 'normal',
      },
    ]);
    if (stored?.outcome !== 'committed') throw new Error(`the messages were not stored: ${JSON.stringify(stored)}`);
    return id;
  } finally {
    storage.close();
  }
}

/** User messages and answers in turns, the answers as different in length as answers are. */
function createMessages(
  count: number,
  { from, id, lastWords, answerSize }: { from: number; id: string; lastWords: string; answerSize: number | undefined },
): Message[] {
  const messages: Message[] = [];
  for (let index = 0; index < count; index++) {
    const head = {
      id: `${id}-${String(index)}`,
      parentId: index === 0 ? null : `${id}-${String(index - 1)}`,
      createdAt: from + index * 1_000,
    };
    const number = String(index + 1);
    if (index % 2 === 0) {
      messages.push({
        ...head,
        role: 'user',
        parts: [{ type: 'text', text: `Question ${number}: how does it continue?` }],
      });
      continue;
    }
    const text = `Answer ${number}.\n\n${sampleMarkdown(answerSize ?? 200 + ((index * 373) % 2_400))}`;
    const end = index === count - 1 ? `\n\nThese are ${lastWords}.` : '';
    messages.push({
      ...head,
      role: 'assistant',
      model: 'sample',
      runId: 'sample',
      parts: [{ type: 'text', text: text + end }],
      finishReason: 'stop',
    });
  }
  return messages;
}
