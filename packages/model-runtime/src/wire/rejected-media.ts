import { createNotice } from '../create-notice.ts';
import type { ErrorInfo, Message, ToolContentPart, ToolMessage, UserMessage, UserPart } from '@toolyard/protocol';
import { labelOf, textOfSource, say } from '@toolyard/protocol';
import type { ChatRequest, StreamPart } from '../types.ts';
import { toModelError, type ErrorContext, type ProviderFault } from './provider-error.ts';
import { remember } from './json-text.ts';
import { shortened } from './shortened.ts';

/**
 * Media that a server rejected: damaged in a way that only it notices, too large, or of a kind that the model does not
 * take.
 *
 * Rule: one attachment never makes every later request of a conversation fail. After a rejection, the media of the
 * messages so far are replaced by notes for this model; those of later messages are sent.
 */
export class RejectedMedia {
  readonly #server: string;
  readonly #byModel = new Map<string, Set<string>>();

  constructor(server: string) {
    this.#server = server;
  }

  /** The request with notes in place of rejected media. */
  apply(request: ChatRequest): ChatRequest {
    const ids = this.#byModel.get(request.model);
    if (ids === undefined) return request;
    return {
      ...request,
      messages: request.messages.map((message) => (ids.has(message.id) ? noted(message) : message)),
    };
  }

  /** Handles a rejected request: true if it can be repeated without its media. */
  learn(
    { model, messages }: ChatRequest,
    status: number,
    error: ProviderFault,
    errors: ErrorContext,
    notices: StreamPart[],
  ): boolean {
    if (!namesMedia(error) || !isOfRequest(toModelError(error, status, errors), status)) return false;
    const found = messages.filter(hasMedia);
    if (found.length === 0) return false;
    const ids = this.#byModel.get(model) ?? new Set();
    this.#byModel.set(model, ids);
    for (const { id } of found) ids.add(id);
    const reason = shortened(errors.redact(error.message));
    notices.push(
      createNotice(
        'media_left_out',
        say`${model} at ${this.#server} rejected an attachment, so a note was sent in its place: ${reason}`,
      ),
    );
    return true;
  }
}

/** True if the error names media, or content that is more than a string. */
function namesMedia({ message, param, code }: ProviderFault): boolean {
  return MEDIA_WORDS.test(`${param} ${code} ${message}`);
}

const MEDIA_WORDS =
  /image|media|vision|multi.?modal|modality|audio|video|document|\bfiles?\b|attachment|download|base64|\bpdf\b|content\.type|(content|output).{0,60}\bstring|图[片像]|圖[片像]|[音视]频|音訊|影片|多模态|多模態|文件|附件/i;

/** Many model servers fail (500, 501) on an image that their model does not take. */
function isOfRequest({ code }: ErrorInfo, status: number): boolean {
  return code === 'bad_request' || (code === 'bad_response' && (status === 500 || status === 501));
}

type WithMedia = UserMessage | ToolMessage;

function hasMedia(message: Message): message is WithMedia {
  if (message.role === 'user') return message.parts.some(isMedia);
  return message.role === 'tool' && message.parts[0].result.content.some(isMedia);
}

function isMedia(part: UserPart | ToolContentPart): boolean {
  if (part.type === 'image' || part.type === 'audio') return true;
  if (part.type === 'resource' && part.text !== undefined) return false;
  if ((part.type !== 'resource' && part.type !== 'file') || part.source === undefined) return false;
  return textOfSource(part.source, part.mimeType ?? '') === null;
}

const cache = new WeakMap<Message, Message>();

function noted(message: Message): Message {
  if (!hasMedia(message)) return message;
  return remember(cache, message, () => withNotes(message));
}

function withNotes(message: WithMedia): Message {
  if (message.role === 'user') return { ...message, parts: message.parts.map(toNote) };
  const [part] = message.parts;
  const result = { ...part.result, content: part.result.content.map(toNote) };
  return { ...message, parts: [{ ...part, result }] };
}

function toNote<Part extends UserPart | ToolContentPart>(part: Part): Part | { type: 'text'; text: string } {
  return isMedia(part) ? { type: 'text', text: `[${labelOf(part)}: the model server rejected it]` } : part;
}
