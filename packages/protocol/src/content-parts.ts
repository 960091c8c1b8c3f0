import type { AssistantPart, ToolContentPart, UserPart } from './schemas/parts.ts';

/** A part of a user's or model's message, or of a tool result. */
export type ContentPart = UserPart | AssistantPart | ToolContentPart;

type PartRow<Part> = {
  /** The part in one line, for readers without a rendering of its own for it. Contains text of models and servers. */
  label: (part: Part) => string;
  /** Only for parts whose MIME type begins with the part's name: phrases for a model that cannot read them. */
  media?: { attached: string; cannot: string };
};

const media = ({ type, mimeType }: { type: string; mimeType: string }): string => `${type}, ${mimeType}`;

/**
 * All kinds of parts. A reader renders the kinds it knows and prints the label of all others. Whether a part is media
 * decides which models receive it and which MIME types it accepts.
 */
export const CONTENT_PARTS = {
  text: { label: ({ text }) => text },
  image: { label: media, media: { attached: 'an image', cannot: 'you cannot see images' } },
  audio: { label: media, media: { attached: 'an audio recording', cannot: 'you cannot process audio' } },
  file: { label: ({ name, mimeType }) => `file${name === undefined ? '' : ` ${name}`}, ${mimeType}` },
  resource: { label: ({ uri }) => `resource ${uri}` },
  prompt: { label: ({ title, name }) => `prompt ${title ?? name}` },
  reasoning: { label: ({ text }) => text },
  tool_call: { label: ({ name }) => `call of ${name}` },
  malformed_tool_call: { label: ({ raw }) => raw },
  citation: { label: ({ title, url }) => `source: ${title ?? ''} ${url}` },
  error: { label: ({ error }) => `error: ${error.message}` },
} as const satisfies { readonly [Type in ContentPart['type']]: PartRow<Extract<ContentPart, { type: Type }>> };

type Rows = typeof CONTENT_PARTS;
/** Kinds of parts that are one image, one recording and so on, as opposed to any file. */
export type MediaType = { [Type in keyof Rows]: Rows[Type] extends { media: object } ? Type : never }[keyof Rows];
export type MediaPart = Extract<UserPart, { type: MediaType }>;

/** A part in one line: `image, image/png`. Escape it before showing it in a terminal or page. */
export function labelOf(part: ContentPart): string {
  const row: PartRow<never> = CONTENT_PARTS[part.type];
  // `PartRow<never>` accepts any part; the row was chosen by its type.
  return row.label(part as never);
}

export function isMediaType(type: unknown): type is MediaType {
  return typeof type === 'string' && Object.hasOwn(CONTENT_PARTS, type) && 'media' in CONTENT_PARTS[type as keyof Rows];
}

export function isMediaPart<Part extends ContentPart>(part: Part): part is Extract<Part, { type: MediaType }> {
  return isMediaType(part.type);
}
