import { z } from 'zod';
import { MAX_MEMORY_LENGTH } from '../memory.ts';
import { namedObject, timestamp } from './common.ts';

export const memory = namedObject('Memory', {
  id: z.string(),
  text: z.string(),
  /** The call that stored it; null if it was made outside of conversations. */
  source: z
    .strictObject({
      conversationId: z.string(),
      /** Null if that conversation was deleted. */
      conversationTitle: z.string().nullable(),
      /** The answer that contains the call. */
      messageId: z.string(),
      runId: z.string(),
      callId: z.string(),
    })
    .nullable(),
  createdAt: timestamp,
  /** Later than `createdAt` if the user changed the text. */
  updatedAt: timestamp,
});
/** What a model remembered for the user. */
export type Memory = z.output<typeof memory>;

/** Newest first. */
export const memoryList = namedObject('MemoryList', { items: z.array(memory) });

export const changeMemoryBody = namedObject('ChangeMemory', {
  text: z
    .string()
    .max(MAX_MEMORY_LENGTH)
    .refine((text) => text.trim() !== '', { message: 'expected a text' }),
});

export const deletedMemories = namedObject('DeletedMemories', { deleted: z.int() });
