import { z } from 'zod';
import { agentReference, namedObject, timestamp } from './common.ts';
import { userPart } from './parts.ts';

const id = z.string().min(1).max(200);
const label = z.string().max(2_000);

const draftAttachment = namedObject('DraftAttachment', {
  id,
  name: label,
  /** In bytes. */
  size: z.number().exactOptional(),
  /** The parts that are sent; empty while a resource is not loaded. */
  parts: z.array(userPart).max(100),
  /** Where a resource or prompt comes from, so that a resource can be read again. */
  origin: z
    .strictObject({ place: z.enum(['server', 'tab']), serverId: id, uri: z.string().max(10_000).exactOptional() })
    .exactOptional(),
});
export type DraftAttachment = z.output<typeof draftAttachment>;

const content = {
  text: z.string().max(1_000_000),
  attachments: z.array(draftAttachment).max(50),
  /** The agent that answers this message, instead of the conversation's. */
  mention: agentReference.exactOptional(),
  /** Resources of apps that the user removed from this message: an app does not attach them again. */
  removed: z
    .array(z.strictObject({ serverId: id, uri: z.string() }))
    .max(50)
    .exactOptional(),
};

export const saveDraftBody = namedObject('SaveDraft', content);
export type SaveDraft = z.output<typeof saveDraftBody>;

export const draft = namedObject('Draft', { ...content, updatedAt: timestamp });
/** The message being written in a conversation. `updatedAt` is 0 if nothing is stored. */
export type Draft = z.output<typeof draft>;
