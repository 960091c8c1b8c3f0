import type { ErrorInfo } from './errors.ts';
import type { JsonObject, JsonValue } from './json.ts';
import type { ToolReference } from './tools.ts';

/** Where bytes are: in place as base64, at an address, or in the blob store by sha256. */
export type MediaSource = { data: string } | { url: string } | { blob: string };

export type TextPart = { type: 'text'; text: string };

/** The model's thinking. `signature` is opaque and must go back unchanged to the provider that gave it. */
export type ReasoningPart = { type: 'reasoning'; text: string; signature?: string };

/** `name`: that of the file a person attached. */
export type ImagePart = { type: 'image'; mimeType: string; name?: string; source: MediaSource };
export type AudioPart = { type: 'audio'; mimeType: string; name?: string; source: MediaSource };
export type FilePart = { type: 'file'; mimeType: string; name?: string; source: MediaSource };

/** An MCP resource: a link to one (no content) or one with its content. */
export type ResourcePart = {
  type: 'resource';
  uri: string;
  name?: string;
  title?: string;
  description?: string;
  mimeType?: string;
  text?: string;
  source?: MediaSource;
};

/** A call the model asked for, native or written as text: from here on there is no difference. */
export type ToolCallPart = {
  type: 'tool_call';
  /** Ours, unique in the conversation. */
  callId: string;
  /** The provider's own id, echoed back to it. Providers repeat these; nothing else may rely on them. */
  providerCallId?: string;
  /** The model-facing name, as the model wrote it. */
  name: string;
  /** Null where nobody offers a tool of that name. */
  tool: ToolReference | null;
  /** Empty where {@link ToolCallPart.problem} says that the arguments could not be read. */
  arguments: JsonObject;
  /** Why this call cannot be made as it stands; the model is told and may try again. */
  problem?: ErrorInfo;
};

/** A call written as text that could not be read. `raw` is what the model wrote. */
export type MalformedToolCallPart = { type: 'malformed_tool_call'; callId: string; raw: string; reason: string };

export type CitationPart = { type: 'citation'; url: string; title?: string; text?: string };
export type ErrorPart = { type: 'error'; error: ErrorInfo };

/** What a tool can hand back. */
export type ToolContentPart = (TextPart | ImagePart | AudioPart | ResourcePart) & {
  /** MCP's hints: for whom this is meant, and how much it matters (0 to 1). */
  audience?: ('user' | 'assistant')[];
  priority?: number;
};

/**
 * How sure we are of what a call did.
 * - `done`: the tool answered
 * - `not_sent`: it never reached the tool (refused, unknown tool, bad arguments): trying again is safe
 * - `unknown`: it was sent and nobody can say whether it took effect: it must not be repeated blindly
 */
export type ToolOutcome = 'done' | 'not_sent' | 'unknown';

/** The whole of what came back from a tool: every content kind is kept. */
export type ToolResult = {
  content: ToolContentPart[];
  structured?: JsonValue;
  isError: boolean;
  outcome: ToolOutcome;
  /** Set where Toolyard, not the tool, wrote the answer. */
  error?: ErrorInfo;
};

export type ToolResultPart = { type: 'tool_result'; callId: string; result: ToolResult };

export type UserPart = TextPart | ImagePart | AudioPart | FilePart | ResourcePart;
export type AssistantPart =
  | TextPart
  | ReasoningPart
  | ToolCallPart
  | MalformedToolCallPart
  | ImagePart
  | CitationPart
  | ErrorPart;
