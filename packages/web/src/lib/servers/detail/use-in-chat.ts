import type { McpPromptView, ResourcePart } from '@toolyard/protocol';
import { goto } from '$app/navigation';
import { getComposerDraft } from '../../composer/drafts.ts';
import { attachContents, attachPrompt, attachResource } from '../../resources/attach.ts';
import type { ServerRef } from '../../resources/server-requests.ts';
import { newChatAddress } from '../../shell/addresses.ts';

/** Adds a resource to the message of a new chat and opens it. */
export async function attachToChat(server: ServerRef, resource: { uri: string; name: string }): Promise<void> {
  attachResource(getComposerDraft(null), server, resource);
  await goto(newChatAddress());
}

/** Adds contents of a result to the message of a new chat and opens it. */
export async function attachContentsToChat(
  server: ServerRef,
  resource: { name: string; contents: readonly ResourcePart[] },
): Promise<void> {
  await attachContents(getComposerDraft(null), server, resource);
  await goto(newChatAddress());
}

/** Adds a prompt to the message of a new chat and opens it. @throws an error that can be shown */
export async function usePromptInChat(
  server: ServerRef,
  prompt: Pick<McpPromptView, 'name' | 'title'>,
  args: Record<string, string>,
): Promise<void> {
  await attachPrompt(getComposerDraft(null), server, prompt, args);
  await goto(newChatAddress());
}
