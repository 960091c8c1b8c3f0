import { SvelteMap } from 'svelte/reactivity';
import type { Artifact } from '@toolyard/protocol';
import { api } from '../api/client.ts';
import type { ApiError } from '../api/error.ts';
import { sessionFetch } from '../api/session-fetch.ts';
import { toApiError } from '../state/failure.ts';
import { live } from '../live/live.svelte.ts';
import type { DocumentVersion, PreviewDocument } from './document.ts';
import type { ArtifactTarget } from './preview-panel.svelte.ts';

/** The documents that models created in a conversation. The text of a version is loaded when it is read. */
export class ArtifactDocuments {
  all: readonly PreviewDocument[] = $state.raw([]);
  error: ApiError | null = $state.raw(null);

  /** By hash; null if it could not be loaded. */
  readonly #texts = new SvelteMap<string, string | null>();
  readonly #requested = new Set<string>();
  #conversationId: string | null = null;
  #latest = 0;

  /** Loads them, and again whenever one changes. */
  follow(conversationId: string): () => void {
    this.#conversationId = conversationId;
    void this.load();
    const stops = [
      live.onHello(() => void this.load()),
      live.onChanged(({ what, id }) => {
        if (what === 'artifacts' && (id === undefined || id === conversationId)) void this.load();
      }),
    ];
    return () => stops.forEach((stop) => stop());
  }

  async load(): Promise<void> {
    const id = this.#conversationId;
    if (id === null) return;
    const request = ++this.#latest;
    try {
      const { items } = await api.get('/api/conversations/{id}/artifacts', { params: { id } });
      if (request !== this.#latest) return;
      this.error = null;
      this.all = items.flatMap((artifact) => this.#findDocument(id, artifact) ?? []);
    } catch (thrown) {
      if (request === this.#latest) this.error = toApiError(thrown);
    }
  }

  /** Loads again what could not be loaded. */
  retry(): void {
    for (const [file, text] of this.#texts) {
      if (text !== null) continue;
      this.#texts.delete(file);
      this.#requested.delete(file);
    }
    void this.load();
  }

  #findDocument(conversationId: string, artifact: Artifact): PreviewDocument | null {
    const { id, kind, language, title } = artifact;
    const [first, ...more] = artifact.versions.map(({ version, file }) =>
      this.#createVersion(artifactKey(conversationId, id, version), file),
    );
    if (first === undefined) return null;
    const versions = [first, ...more] as const;
    return { id: artifactKey(conversationId, id), kind, language: language ?? kind, title, fileName: null, versions };
  }

  #createVersion(key: string, file: string): DocumentVersion {
    const getText = (): string | null | undefined => this.#getText(file);
    return {
      key,
      open: false,
      get text() {
        return getText() ?? '';
      },
      get missing() {
        const text = getText();
        return text === undefined ? 'loading' : text === null ? 'failed' : null;
      },
    };
  }

  /** Undefined until it is loaded. */
  #getText(file: string): string | null | undefined {
    const known = this.#texts.get(file);
    if (known === undefined && !this.#requested.has(file)) {
      this.#requested.add(file);
      void textOfFile(file).then((text) => this.#texts.set(file, text));
    }
    return known;
  }
}

/** Stands for a document until the documents of its conversation are loaded. */
export function loadingDocument({ conversationId, artifact }: ArtifactTarget): PreviewDocument {
  const { id, version, kind, title } = artifact;
  const key = artifactKey(conversationId, id, version);
  const versions = [{ key, text: '', open: false, missing: 'loading' }] as const;
  return { id: artifactKey(conversationId, id), kind, language: kind, title, fileName: null, versions };
}

/** Documents of different conversations have the same ids, but neither state nor allowed hosts in common. */
export function artifactKey(conversationId: string, id: string, version?: number): string {
  return ['artifact', conversationId, id, ...(version === undefined ? [] : [version])].join(':');
}

async function textOfFile(sha256: string): Promise<string | null> {
  try {
    const response = await sessionFetch(`/api/files/${encodeURIComponent(sha256)}`);
    return response.ok ? await response.text() : null;
  } catch {
    return null;
  }
}
