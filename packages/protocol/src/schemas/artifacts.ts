import { z } from 'zod';
import { namedObject, timestamp } from './common.ts';

export const artifactKind = z.enum(['html', 'svg', 'mermaid', 'markdown', 'csv', 'code']);
/** How a document is shown. */
export type ArtifactKind = z.output<typeof artifactKind>;

const artifactVersion = z.strictObject({
  /** From 1, without gaps. */
  version: z.int(),
  title: z.string(),
  /** Sha256 of the text: `GET /api/files/{sha256}`. */
  file: z.string(),
  /** In bytes. */
  size: z.int(),
  /** The call that created it. */
  runId: z.string(),
  callId: z.string(),
  createdAt: timestamp,
});

export const artifact = namedObject('Artifact', {
  id: z.string(),
  kind: artifactKind,
  /** As in the info string of a code block; null if the kind says it. */
  language: z.string().nullable(),
  /** Of the newest version. */
  title: z.string(),
  /** Oldest first, at least one. */
  versions: z.array(artifactVersion),
});
/** A document that a model created in a conversation, with all its versions. */
export type Artifact = z.output<typeof artifact>;

export const artifactList = namedObject('ArtifactList', { items: z.array(artifact) });
export type ArtifactList = z.output<typeof artifactList>;

/** With the texts, as in an export. */
export const artifactExport = z.strictObject({
  ...artifact.shape,
  versions: z.array(z.strictObject({ ...artifactVersion.shape, text: z.string() })),
});
export type ArtifactExport = z.output<typeof artifactExport>;
