import type { McpPromptView, PromptPart, ResourcePart, ToolContentPart } from '@toolyard/protocol';
import { defined } from '@toolyard/protocol';
import { api } from '../api/client.ts';
import type { Attachment } from '../composer/attachments.ts';
import type { ComposerDraft } from '../composer/draft.svelte.ts';
import { failureLine } from '../servers/attempt.svelte.ts';
import { getPrompt, readResource, type ServerRef } from './server-requests.ts';

/** Larger contents are uploaded, so that drafts and messages stay small. Characters of text or base64. */
const MAX_INLINE = 48_000;

/** Attaches a resource: it appears at once, its contents follow. */
export function attachResource(
  draft: ComposerDraft,
  { place, serverId }: ServerRef,
  resource: { uri: string; name: string; title?: string },
): string {
  const { uri, title, name } = resource;
  return draft.attach({ state: 'reading', name: title ?? name, origin: { place, serverId, uri } });
}

/** Reads an attached resource. */
export async function loadResource(draft: ComposerDraft, attachment: Attachment): Promise<void> {
  const { id, name, origin } = attachment;
  if (origin?.uri === undefined) return;
  const base = { id, name, origin };
  try {
    draft.replace({ ...base, state: 'ready', kind: 'resource', parts: await readParts(origin, origin.uri, name) });
  } catch (thrown) {
    draft.replace({ ...base, state: 'failed', problem: 'not_loaded', detail: failureLine(thrown) });
  }
}

/** Reads it again after an update. If that fails, the last contents stay, with a note. */
export async function refreshResource(draft: ComposerDraft, id: string): Promise<void> {
  const before = draft.attachments.find((one) => one.id === id);
  if (before?.state !== 'ready' || before.origin?.uri === undefined) return;
  const { note: _note, ...kept } = before;
  try {
    const parts = await readParts(before.origin, before.origin.uri, before.name);
    const isSame = JSON.stringify(parts) === JSON.stringify(before.parts);
    if (!isSame || before.note !== undefined) draft.refresh({ ...kept, parts });
  } catch (thrown) {
    draft.refresh({ ...kept, note: failureLine(thrown) });
  }
}

/** Attaches contents that are known, as those of a result: they are neither read nor updated. */
export async function attachContents(
  draft: ComposerDraft,
  { place, serverId }: ServerRef,
  { name, contents }: { name: string; contents: readonly ResourcePart[] },
): Promise<void> {
  const origin = { place, serverId };
  const id = draft.attach({ state: 'reading', name, origin });
  try {
    const parts = await Promise.all(contents.map((part) => stored({ name, serverId, ...part })));
    draft.replace({ id, name, origin, state: 'ready', kind: 'resource', parts });
  } catch (thrown) {
    draft.remove(id);
    throw thrown;
  }
}

/** Gets a prompt with its arguments and attaches it. @throws an error that can be shown; nothing is attached then */
export async function attachPrompt(
  draft: ComposerDraft,
  { place, serverId }: ServerRef,
  { name, title }: Pick<McpPromptView, 'name' | 'title'>,
  args: Record<string, string>,
): Promise<void> {
  const label = title ?? name;
  const id = draft.attach({ state: 'reading', name: label, origin: { place, serverId } });
  try {
    const { messages } = await getPrompt({ place, serverId }, name, args);
    const contents = await Promise.all(messages.map(({ content }) => stored(content)));
    const part: PromptPart = {
      type: 'prompt',
      serverId,
      name,
      ...defined({ title }),
      arguments: args,
      messages: messages.map(({ role }, at) => ({ role, content: contents[at] as ToolContentPart })),
    };
    draft.replace({ id, name: label, origin: { place, serverId }, state: 'ready', kind: 'prompt', parts: [part] });
  } catch (thrown) {
    draft.remove(id);
    throw thrown;
  }
}

async function readParts(ref: ServerRef, uri: string, name: string): Promise<ResourcePart[]> {
  // What a message contains is never older than its attachment.
  const contents = await readResource(ref, uri, { fresh: true });
  return Promise.all(contents.map((part) => stored({ name, ...part })));
}

/** The same content with large bytes and texts as an uploaded file. */
async function stored<Part extends ToolContentPart>(part: Part): Promise<Part> {
  if (part.type === 'resource' && part.text !== undefined && part.text.length > MAX_INLINE) {
    const { text, ...rest } = part;
    const mimeType = /^text\/|json|xml|yaml|javascript/i.test(part.mimeType ?? '') ? part.mimeType : 'text/plain';
    const { sha256 } = await api.upload('/api/files', new Blob([text], { type: mimeType ?? 'text/plain' }));
    return { ...(rest as Part), ...defined({ mimeType }), source: { blob: sha256 } };
  }
  if (!('source' in part) || part.source === undefined || !('data' in part.source)) return part;
  if (part.source.data.length <= MAX_INLINE) return part;
  const bytes = Uint8Array.from(atob(part.source.data), (character) => character.charCodeAt(0));
  const { sha256 } = await api.upload('/api/files', new Blob([bytes], { type: part.mimeType ?? '' }));
  return { ...part, source: { blob: sha256 } };
}
