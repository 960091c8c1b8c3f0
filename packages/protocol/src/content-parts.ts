import type { AssistantPart, ToolContentPart, UserPart } from './schemas/parts.ts';

/** A part of a message of a user or a model, or of a tool result. */
export type ContentPart = UserPart | AssistantPart | ToolContentPart;

type PartRow<Part> = {
  /** What the part is, in one line, for readers that have no form of its own for it. Contains text of models and servers. */
  label: (part: Part) => string;
  /** For a part whose MIME type begins with its name: what a model is told that cannot read it. */
  media?: { attached: string; cannot: string };
};

const media = ({ type, mimeType }: { type: string; mimeType: string }): string => `${type}, ${mimeType}`;

/**
 * The kinds of parts. Readers handle the kinds that they have a form of their own for, and write the label of all
 * others; whether a part is media decides which models get it and which MIME types it accepts.
 */
export const CONTENT_PARTS = {
  text: { label: ({ text }) => text },
  image: { label: media, media: { attached: 'a picture', cannot: 'you cannot see pictures' } },
  audio: { label: media, media: { attached: 'a recording', cannot: 'you cannot hear' } },
  file: { label: ({ name, mimeType }) => `file${name === undefined ? '' : ` ${name}`}, ${mimeType}` },
  resource: { label: ({ uri }) => `resource ${uri}` },
  reasoning: { label: ({ text }) => text },
  tool_call: { label: ({ name }) => `call of ${name}` },
  malformed_tool_call: { label: ({ raw }) => raw },
  citation: { label: ({ title, url }) => `source: ${title ?? ''} ${url}` },
  error: { label: ({ error }) => `error: ${error.message}` },
} as const satisfies { readonly [Type in ContentPart['type']]: PartRow<Extract<ContentPart, { type: Type }>> };

type Rows = typeof CONTENT_PARTS;
/** Parts that are one image, recording and so on, as opposed to any file. */
export type MediaType = { [Type in keyof Rows]: Rows[Type] extends { media: object } ? Type : never }[keyof Rows];
export type MediaPart = Extract<UserPart, { type: MediaType }>;

/** What a part is, in one line: `image, image/png`. Escape it for a terminal or a page. */
export function labelOf(part: ContentPart): string {
  const row: PartRow<never> = CONTENT_PARTS[part.type];
  // The row of its own type.
  return row.label(part as never);
}

export function isMediaType(type: unknown): type is MediaType {
  return typeof type === 'string' && Object.hasOwn(CONTENT_PARTS, type) && 'media' in CONTENT_PARTS[type as keyof Rows];
}

export function isMediaPart<Part extends ContentPart>(part: Part): part is Extract<Part, { type: MediaType }> {
  return isMediaType(part.type);
}
