import type { FunctionTool, FunctionToolGroup, ToolContext } from '@toolyard/agent-host';
import { tool } from '@toolyard/agent-host';
import type { Owner, ToolResult } from '@toolyard/protocol';
import { ToolyardError, say } from '@toolyard/protocol';
import type { StoredArtifactVersion } from '@toolyard/storage';
import type { ArtifactStore, CallOfVersion, ChangedArtifact } from './artifact-store.ts';
import type { TextChange } from './artifact-text.ts';
import { createInvalidArgumentsError } from './artifact-text.ts';

/** A document is part of its conversation, like an answer. The reference `artifacts/artifact` is stored and never changes. */
export function createArtifactTools(store: ArtifactStore, owner: Owner): FunctionToolGroup {
  return { id: 'artifacts', title: say`Documents`.text, tools: [createArtifact(store, owner)] };
}

function createArtifact(store: ArtifactStore, owner: Owner): FunctionTool {
  return tool({
    name: 'artifact',
    title: say`Write document`.text,
    description:
      say`Creates or changes a document that the user sees beside the chat: a Markdown text, a web page (HTML), an image (SVG), a diagram (Mermaid), a table (CSV) or code. Use it for what the user will keep, open or correct, not for short answers. Create one with title, kind and content. Change one with its id and either content, which replaces all of it, or old_text and new_text, which replace one part. With the id alone it returns the current text.`
        .text,
    inputSchema: {
      type: 'object',
      properties: {
        id: {
          type: 'string',
          minLength: 1,
          maxLength: 20,
          description: 'The document to change; omit it to create one.',
        },
        title: { type: 'string', minLength: 1, maxLength: 200, description: 'In the language of the user.' },
        kind: { enum: ['markdown', 'html', 'svg', 'mermaid', 'csv', 'code'] },
        language: { type: 'string', maxLength: 40, description: 'For code: its language, such as python.' },
        content: { type: 'string', description: 'All of the text. HTML and SVG run without network access.' },
        old_text: {
          type: 'string',
          minLength: 1,
          description: 'A part of the current text, exactly and with its white space; it must occur once.',
        },
        new_text: { type: 'string', description: 'What replaces it.' },
      },
    },
    // Read-only for all but its own conversation, as an answer is: it needs no approval. A repeated call finds its version.
    annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    isolated: true,
    async execute({ id, title, kind, language, content, old_text: oldText, new_text: newText }, ctx) {
      const call = findCall(ctx);
      const principal = ctx.user === undefined ? owner : { ownerId: ctx.user };
      const change = readChange(content, oldText, newText);
      if (id === undefined) {
        if (change === undefined || !('text' in change) || title === undefined || kind === undefined)
          throw createInvalidArgumentsError(
            say`A new document needs title, kind and content; to change one, name its id.`,
          );
        const code = kind === 'code' ? (language ?? '') : null;
        const created = await store.create(principal, call, { kind, language: code, title, text: change.text });
        return createResult(created, `Created document ${created.version.id}.`);
      }
      if (change === undefined && title === undefined) {
        const { version, text } = await store.read(principal, call.conversationId, id);
        return `${version.id}, version ${version.version}, "${version.title}":\n\n${text}`;
      }
      const changed = await store.update(principal, call, { id, title, change });
      const { version } = changed.version;
      return createResult(
        changed,
        changed.isNew
          ? `Changed document ${id}: version ${version}.`
          : `Nothing differs from version ${version} of ${id}.`,
      );
    },
  });
}

function findCall({ conversation, run, callId }: ToolContext): CallOfVersion {
  if (conversation !== undefined && run !== undefined && callId !== undefined)
    return { conversationId: conversation, runId: run, callId };
  throw new ToolyardError({
    code: 'tool_refused',
    message: say`A document belongs to a conversation, and this call does not.`,
    hint: say`Ask for the document in a chat.`,
  });
}

function readChange(
  content: string | undefined,
  oldText: string | undefined,
  newText: string | undefined,
): TextChange | undefined {
  if (content !== undefined) {
    if (oldText === undefined && newText === undefined) return { text: content };
    throw createInvalidArgumentsError(say`Use either content, or old_text and new_text.`);
  }
  if (oldText === undefined && newText === undefined) return undefined;
  if (oldText !== undefined && newText !== undefined) return { oldText, newText };
  throw createInvalidArgumentsError(say`old_text and new_text belong together.`);
}

/** The page reads `structured` to link to the document. */
function createResult({ version: stored }: ChangedArtifact, text: string): ToolResult {
  return {
    content: [{ type: 'text', text: `${text} The user sees it beside the chat: do not repeat its text.` }],
    structured: { artifact: linkTo(stored) },
    isError: false,
    outcome: 'done',
  };
}

function linkTo({ id, version, kind, title }: StoredArtifactVersion) {
  return { id, version, kind, title };
}
