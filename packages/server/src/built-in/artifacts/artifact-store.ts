import type { Artifact, ArtifactExport, ArtifactKind, Clock, Owner, AnyText } from '@toolyard/protocol';
import { ToolyardError, say } from '@toolyard/protocol';
import { artifactKind } from '@toolyard/protocol/schemas';
import type { SharedStorage, StoredArtifactVersion } from '@toolyard/storage';
import { scrubText } from '@toolyard/storage';
import type { LiveHub } from '../../services.ts';
import type { TextChange } from './artifact-text.ts';
import { changedText, checkSize, createInvalidArgumentsError } from './artifact-text.ts';
import { MAX_DOCUMENTS, MAX_VERSIONS } from './limits.ts';

/** The call that changes a document. Made again, it returns the version that it created before. */
export type CallOfVersion = { conversationId: string; runId: string; callId: string };

type NewArtifact = { kind: ArtifactKind; language: string | null; title: string; text: string };
type ArtifactChange = { id: string; title: string | undefined; change: TextChange | undefined };

/** `isNew`: the call created this version; false if nothing differs from the version before. */
export type ChangedArtifact = { version: StoredArtifactVersion; isNew: boolean };

/** The documents of conversations, in all their versions. */
export type ArtifactStore = {
  list(principal: Owner, conversationId: string): Promise<Artifact[]>;
  /** With their texts. */
  exported(principal: Owner, conversationId: string): Promise<ArtifactExport[]>;
  /** The newest version of a document and its text; throws ToolyardError `invalid_arguments` for an unknown id. */
  read(principal: Owner, conversationId: string, id: string): Promise<{ version: StoredArtifactVersion; text: string }>;
  /** Throws ToolyardError `invalid_arguments` or `tool_failed` if a limit is reached. */
  create(principal: Owner, call: CallOfVersion, artifact: NewArtifact): Promise<ChangedArtifact>;
  /** Throws like {@link create}, and if there is no such document, or the text to replace is not found or not unique. */
  update(principal: Owner, call: CallOfVersion, change: ArtifactChange): Promise<ChangedArtifact>;
};

/** How often another call may store a version first. */
const MAX_ATTEMPTS = 20;

export function createArtifactStore(of: {
  storage: Pick<SharedStorage, 'artifacts' | 'blobs'>;
  hub: Pick<LiveHub, 'changed'>;
  clock: Pick<Clock, 'now'>;
}): ArtifactStore {
  const { storage, hub, clock } = of;
  const { artifacts, blobs } = storage;

  async function readText(principal: Owner, { id, version, blob }: StoredArtifactVersion): Promise<string> {
    const bytes = await blobs.read(principal, blob);
    if (bytes !== null) return new TextDecoder().decode(bytes);
    throw new ToolyardError({ code: 'tool_failed', message: say`The text of ${id}, version ${version}, is missing.` });
  }

  type Draft = Omit<NewArtifact, 'kind'> & Pick<StoredArtifactVersion, 'id' | 'version' | 'kind'>;

  /**
   * Stores the version that `next` returns for the current ones, unless the call has stored one before. If another call
   * stores a version meanwhile, `next` is asked again.
   */
  async function store(
    principal: Owner,
    call: CallOfVersion,
    next: (current: StoredArtifactVersion[]) => Promise<Draft | StoredArtifactVersion>,
  ): Promise<ChangedArtifact> {
    const { conversationId, runId, callId } = call;
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const current = await artifacts.list(principal, conversationId);
      const made = current.find((each) => each.runId === runId && each.callId === callId);
      if (made) return { version: made, isNew: true };
      const draft = await next(current);
      if ('blob' in draft) return { version: draft, isNew: false };
      const { text, ...fields } = draft;
      const at = clock.now();
      const { sha256, size } = await blobs.put(principal, Buffer.from(text), { mimeType: 'text/plain', at });
      const version = { ...call, ...fields, blob: sha256, size, createdAt: at };
      if (!(await artifacts.add(principal, version))) continue;
      hub.changed(principal.ownerId, 'artifacts', conversationId);
      return { version, isNew: true };
    }
    throw new ToolyardError({
      code: 'tool_failed',
      message: say`The document was not stored: its conversation was deleted, or other calls change it all the time.`,
    });
  }

  return {
    async list(principal, conversationId) {
      return grouped(await artifacts.list(principal, conversationId));
    },
    async exported(principal, conversationId) {
      const stored = await artifacts.list(principal, conversationId);
      const texts = new Map<string, string>();
      for (const version of stored) texts.set(version.blob, await readText(principal, version));
      return grouped(stored).map((artifact) => ({
        ...artifact,
        versions: artifact.versions.map((version) => ({ ...version, text: texts.get(version.file) ?? '' })),
      }));
    },
    async read(principal, conversationId, id) {
      const version = newest(await artifacts.list(principal, conversationId), id);
      return { version, text: await readText(principal, version) };
    },
    create(principal, call, { text, title, ...artifact }) {
      checkSize(text);
      return store(principal, call, (current) => {
        const ids = new Set(current.map((each) => each.id));
        if (ids.size >= MAX_DOCUMENTS)
          throw createFullError(say`This conversation has ${MAX_DOCUMENTS} documents, the limit.`);
        const id = `a${ids.size + 1}`;
        return Promise.resolve({ id, version: 1, ...artifact, title: toTitle(title), text: scrubText(text) });
      });
    },
    update: (principal, call, { id, title, change }) =>
      store(principal, call, async (current) => {
        const before = newest(current, id);
        const text = await readText(principal, before);
        const changed =
          change === undefined ? text : scrubText(changedText(text, change, `${id}, version ${before.version}`));
        const { kind, language } = before;
        const renamed = title === undefined ? before.title : toTitle(title);
        if (changed === text && renamed === before.title) return before;
        if (before.version >= MAX_VERSIONS)
          throw createFullError(say`The document ${id} has ${MAX_VERSIONS} versions, the limit.`);
        return { id, version: before.version + 1, kind, language, title: renamed, text: changed };
      }),
  };
}

function newest(stored: readonly StoredArtifactVersion[], id: string): StoredArtifactVersion {
  const found = stored.filter((each) => each.id === id).sort((a, b) => b.version - a.version)[0];
  if (found) return found;
  const ids = [...new Set(stored.map((each) => each.id))].sort();
  throw createInvalidArgumentsError(
    ids.length === 0
      ? say`There is no document "${id}": this conversation has none. Omit "id" to create one.`
      : say`There is no document "${id}". This conversation has: ${ids.join(', ')}.`,
  );
}

function grouped(stored: readonly StoredArtifactVersion[]): Artifact[] {
  const byId = new Map<string, Artifact>();
  for (const each of stored.toSorted((a, b) => a.version - b.version)) {
    const { id, version, title, runId, callId, blob: file, size, createdAt, language } = each;
    const kind = artifactKind.catch('code').parse(each.kind);
    const versions = byId.get(id)?.versions ?? [];
    byId.set(id, {
      id,
      kind,
      language,
      title,
      versions: [...versions, { version, title, file, size, runId, callId, createdAt }],
    });
  }
  // In the order in which they were created.
  return [...new Set(stored.map(({ id }) => id))].flatMap((id) => byId.get(id) ?? []);
}

function toTitle(title: string): string {
  return scrubText(title.trim());
}

function createFullError(message: AnyText): ToolyardError {
  return new ToolyardError({ code: 'tool_failed', message });
}
