import type { UsageEntry } from '@toolyard/protocol';
import type { SharedStorage } from '../storage.ts';
import { ANNE, approval, BERT, createCommit, deltas, newRun, userMessage, reply } from './conversation.ts';

export const SAMPLE_IMAGE = new Uint8Array(100_000).fill(7);
const NOTE = new Uint8Array([1, 2, 3]);

const USAGE: UsageEntry = {
  kind: 'model',
  at: 5,
  durationMs: 40,
  providerId: 'p',
  modelId: 'm',
  usage: { inputTokens: 3 },
  cost: 0.125,
};

/** Rows in every table, more events than one batch, and a parked run. */
export async function fillStorage(storage: SharedStorage): Promise<{ picture: string; note: string }> {
  const {
    conversations,
    runs,
    messages,
    queue,
    drafts,
    artifacts,
    memories,
    translations,
    permissions,
    secrets,
    signIns,
    settings,
    agents,
  } = storage;
  const { blobs } = storage;
  await conversations.create(ANNE, { id: 'c1', title: 'Uhren 時計', at: 1 });
  await conversations.create(BERT, { id: 'b1', title: 'Boats', at: 2 });
  await runs.createRun(ANNE, newRun('r1', 'c1', { state: { step: 0 } }));
  for (let at = 0; at < 1_200; at += 200)
    await runs.commit([createCommit('r1', { baseSeq: at, events: deltas('r1', at, 200) })]);
  await runs.commit([
    createCommit('r1', {
      baseSeq: 1_200,
      events: deltas('r1', 1_200, 1),
      state: { step: 1 },
      ledger: [{ change: 'plan', callId: 'k1', tool: { serverId: 's', name: 't' }, arguments: { a: '秘密' } }],
      messages: [
        // Its id sorts before that of its parent.
        { conversationId: 'c1', message: reply('a0', { parentId: 'r1.question', runId: 'r1', text: 'Neun Uhr früh' }) },
      ],
      leaf: { from: 'r1.question', to: 'a0' },
      interrupts: { opened: [{ interrupt: approval('i1'), mode: 'parked' }] },
      usage: [USAGE, { kind: 'tool', at: 5, durationMs: 7, tool: { serverId: 's', name: 't' }, failed: true }],
      status: 'parked',
    }),
  ]);
  await runs.releaseLease('r1', 1);
  await runs.putInbox(ANNE, 'r1', { id: 'x1', kind: 'cancel', body: {}, at: 5 } as never);
  await messages.add(BERT, 'b1', userMessage('q1'));
  await queue.add(ANNE, { id: 'q', conversationId: 'c1', parts: [{ type: 'text', text: 'next' }], at: 1 });
  await drafts.set(ANNE, 'c1', { text: 'half a', attachments: [] }, 2);
  await translations.change(BERT, 'b1', 'q1', { to: 'zh-Hant', content: '時計', at: 2 });
  await drafts.set(ANNE, null, { text: 'a new chat', attachments: [] }, 2);
  await permissions.set(ANNE, { tool: { serverId: 's', name: 't' }, conversationId: null, decision: 'allow', at: 1 });
  await secrets.set(ANNE, 'provider:a', new Uint8Array([0, 255, 10]), 3);
  await signIns.put(ANNE, 'k', { sealed: new Uint8Array([9]), expected: null, expiresAt: null, at: 3 });
  await settings.set(ANNE, 'theme', { dark: true, z: 1, a: 2 }, 3);
  await agents.create(ANNE, { id: 'g', title: 'Guide', configuration: { b: 1, a: 2 }, profile: {}, at: 3 });
  const image = await blobs.put(ANNE, SAMPLE_IMAGE, { mimeType: 'image/png', at: 4 });
  await blobs.put(BERT, SAMPLE_IMAGE, { mimeType: 'image/png', at: 4 });
  const note = await blobs.put(ANNE, NOTE, { mimeType: 'text/plain', at: 4 });
  await artifacts.add(ANNE, {
    conversationId: 'c1',
    id: 'a1',
    version: 1,
    runId: 'r1',
    callId: 'k1',
    kind: 'markdown',
    language: null,
    title: 'Uhr',
    blob: note.sha256,
    size: NOTE.byteLength,
    createdAt: 4,
  });
  await memories.add(ANNE, { id: 'mem', text: 'Likes 時計', source: null, at: 4 }, 10);
  return { picture: image.sha256, note: note.sha256 };
}
