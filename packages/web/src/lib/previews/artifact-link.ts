import type { ArtifactKind, ToolReference, ToolResult } from '@toolyard/protocol';
import { isJsonObject } from '@toolyard/protocol';

/** A version of a document, as the result of the built-in tool `artifact` names it. */
export type ArtifactLink = { id: string; version: number; kind: ArtifactKind; title: string };

const KINDS: Readonly<Record<ArtifactKind, true>> = {
  html: true,
  svg: true,
  mermaid: true,
  markdown: true,
  csv: true,
  code: true,
};

/** The document that a call created or changed; null for all other calls. */
export function artifactOfCall(call: { tool: ToolReference | null; result: ToolResult | null }): ArtifactLink | null {
  const { tool, result } = call;
  if (tool === null || tool.serverId !== 'artifacts' || tool.name !== 'artifact' || tool.origin === 'tab') return null;
  const { artifact } = isJsonObject(result?.structured) ? result.structured : {};
  if (!isJsonObject(artifact)) return null;
  const { id, version, kind, title } = artifact;
  const isWhole = typeof id === 'string' && typeof version === 'number' && typeof title === 'string';
  return isWhole && isKind(kind) ? { id, version, kind, title } : null;
}

function isKind(kind: unknown): kind is ArtifactKind {
  return typeof kind === 'string' && Object.hasOwn(KINDS, kind);
}
