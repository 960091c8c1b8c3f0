import type { SharedStorage } from '@toolyard/storage';
import type {
  AssistantPart,
  Message,
  Owner,
  PromptPart,
  ToolContentPart,
  ToolResult,
  UserPart,
} from '@toolyard/protocol';
import { isStorageFault } from '@toolyard/protocol';

/** The message for a model, with stored files in place. References to deleted files stay. */
export async function withBlobsInPlace(
  message: Message,
  blobs: SharedStorage['blobs'],
  principal: Owner,
): Promise<Message> {
  switch (message.role) {
    case 'user': {
      const parts = await partsInPlace(message.parts, blobs, principal);
      return parts === message.parts ? message : { ...message, parts };
    }
    case 'tool': {
      const [part] = message.parts;
      const result = await resultInPlace(part.result, blobs, principal);
      return result === part.result ? message : { ...message, parts: [{ ...part, result }] };
    }
    case 'assistant': {
      if (!message.parts.some(namesBlob)) return message;
      return { ...message, parts: await Promise.all(message.parts.map((part) => inPlace(part, blobs, principal))) };
    }
    case 'system':
      return message;
  }
}

/** User parts with stored files in place. */
export async function partsInPlace(
  parts: UserPart[],
  blobs: SharedStorage['blobs'],
  principal: Owner,
): Promise<UserPart[]> {
  if (!parts.some(namesBlob)) return parts;
  return Promise.all(
    parts.map((part) =>
      part.type === 'prompt' ? promptInPlace(part, blobs, principal) : inPlace(part, blobs, principal),
    ),
  );
}

async function promptInPlace(prompt: PromptPart, blobs: SharedStorage['blobs'], principal: Owner): Promise<PromptPart> {
  const messages = prompt.messages.map(async ({ role, content }) => ({
    role,
    content: await inPlace(content, blobs, principal),
  }));
  return { ...prompt, messages: await Promise.all(messages) };
}

/** The result with stored files in place. */
export async function resultInPlace(
  result: ToolResult,
  blobs: SharedStorage['blobs'],
  principal: Owner,
): Promise<ToolResult> {
  if (!result.content.some(namesBlob)) return result;
  return { ...result, content: await Promise.all(result.content.map((item) => inPlace(item, blobs, principal))) };
}

function namesBlob(part: UserPart | AssistantPart | ToolContentPart): boolean {
  if (part.type === 'prompt') return part.messages.some(({ content }) => namesBlob(content));
  if (isForUserOnly(part)) return false;
  return 'source' in part && part.source !== undefined && 'blob' in part.source;
}

/** No request contains it: the whole of a large result is one, of up to 64 MB. */
function isForUserOnly(part: UserPart | AssistantPart | ToolContentPart): boolean {
  return 'audience' in part && part.audience?.length === 1 && part.audience[0] === 'user';
}

async function inPlace<T extends UserPart | AssistantPart | ToolContentPart>(
  part: T,
  blobs: SharedStorage['blobs'],
  principal: Owner,
): Promise<T> {
  if (!('source' in part) || part.source === undefined || !('blob' in part.source) || isForUserOnly(part)) return part;
  const bytes = await blobs.read(principal, part.source.blob).catch((thrown: unknown) => {
    if (isStorageFault(thrown)) throw thrown;
    return null;
  });
  return bytes === null ? part : { ...part, source: { data: Buffer.from(bytes).toString('base64') } };
}
