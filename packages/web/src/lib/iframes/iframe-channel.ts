import type { JsonValue } from '@toolyard/protocol';
import { parseJson } from '@toolyard/protocol';
import type { IframeContext, IframeReport, FromOuter, ToOuter } from '../../frames/messages.ts';
import { readReport } from './read-report.ts';

/** Why a frame shows nothing. */
type IframeFailure =
  /** Its documents did not answer: the frame port is not reachable, or the page is older than the server. */
  | 'unreachable'
  /** The content did not load in time. */
  | 'timeout'
  /** The content navigated itself to another document, which is blocked. */
  | 'left'
  /** The content sent too many messages, and was removed. */
  | 'flood';

export type IframeState = 'connecting' | 'loading' | 'shown' | IframeFailure;

export type IframeContent = {
  html: string;
  /** `frameQuery` of its policy. */
  query: string;
  /** The attribute `allow` of the frame. */
  allow: string;
  context: IframeContext;
};

export type IframeChannelOptions = {
  /** The window of the page: it receives the messages. */
  page: Pick<Window, 'addEventListener' | 'removeEventListener'>;
  /** The window of the outer document; read with each message. */
  target: () => Pick<Window, 'postMessage'> | null;
  /** Origin of the outer document; null if it is opaque. */
  origin: string | null;
  content: IframeContent;
  onstate: (state: IframeState) => void;
  /** A message of the content: untrusted. */
  onmessage?: (message: JsonValue) => void;
  onreport?: (report: IframeReport) => void;
  /** A message of the content was dropped: too large, too many, or not JSON. */
  ondropped?: (why: 'size' | 'rate' | 'form') => void;
  after?: (ms: number, callback: () => void) => () => void;
};

/** Time for the outer document to answer, and for the content to load after that. */
export const CONNECT_WITHIN_MS = 8_000;
export const LOAD_WITHIN_MS = 20_000;
/** Longest message of the content, in characters of JSON; the outer document enforces it too. */
export const MAX_FRAME_MESSAGE = 1_000_000;
/** Longest message to the content, and longest HTML. */
export const MAX_TO_FRAME = 20_000_000;

/**
 * The only channel between the page and a frame. Create it before the frame gets its `src`: a frame from the cache may
 * answer before any code of the page runs again.
 *
 * Messages are accepted from the window of this frame and from its origin only; messages to it name its origin.
 */
export class IframeChannel {
  readonly #options: IframeChannelOptions;
  readonly #after: (ms: number, callback: () => void) => () => void;
  #state: IframeState = 'connecting';
  #cancelTimer: () => void = () => undefined;
  #isClosed = false;

  constructor(options: IframeChannelOptions) {
    this.#options = options;
    this.#after = options.after ?? afterTimeout;
    options.page.addEventListener('message', this.#receive);
    this.#cancelTimer = this.#after(CONNECT_WITHIN_MS, () => this.#set('unreachable'));
  }

  get state(): IframeState {
    return this.#state;
  }

  /**
   * Sends a message to the content.
   *
   * @returns false if the content is not shown, or the message is too large
   */
  post(message: unknown): boolean {
    const json = JSON.stringify(message);
    if (this.#state !== 'shown' || json.length > MAX_TO_FRAME) return false;
    this.#send({ toolyard: 'post', json });
    return true;
  }

  setContext(context: IframeContext): void {
    this.#options.content.context = context;
    if (this.#state !== 'connecting') this.#send({ toolyard: 'context', context });
  }

  /** Loads the content again, or other content. */
  reload(content: Partial<IframeContent> = {}): void {
    Object.assign(this.#options.content, content);
    if (this.#state === 'connecting' || this.#state === 'unreachable') return;
    this.#load();
  }

  close(): void {
    this.#isClosed = true;
    this.#cancelTimer();
    this.#options.page.removeEventListener('message', this.#receive);
  }

  #load(): void {
    const { html, query, allow, context } = this.#options.content;
    this.#set('loading');
    this.#cancelTimer();
    this.#cancelTimer = this.#after(LOAD_WITHIN_MS, () => this.#set('timeout'));
    this.#send({ toolyard: 'load', html: html.slice(0, MAX_TO_FRAME), query, allow, context });
  }

  #set(state: IframeState): void {
    if (this.#isClosed) return;
    this.#state = state;
    this.#options.onstate(state);
  }

  #send(message: ToOuter): void {
    this.#options.target()?.postMessage(message, this.#options.origin ?? '*');
  }

  #report(json: string): void {
    const parsed = parseJson(json);
    const report = parsed.ok ? readReport(parsed.value) : null;
    if (report !== null) this.#options.onreport?.(report);
  }

  readonly #receive = (event: MessageEvent<unknown>): void => {
    const { target, origin } = this.#options;
    if (event.source === null || event.source !== target() || event.origin !== (origin ?? 'null')) return;
    const message = event.data as FromOuter;
    switch (message.toolyard) {
      case 'ready':
        return this.#load();
      case 'loaded':
        this.#cancelTimer();
        return this.#set('shown');
      case 'left':
      case 'flood':
        this.#cancelTimer();
        return this.#set(message.toolyard);
      case 'dropped':
        return this.#options.ondropped?.(message.why);
      case 'report':
        return this.#report(message.json);
      case 'message': {
        if (message.json.length > MAX_FRAME_MESSAGE) return this.#options.ondropped?.('size');
        const parsed = parseJson(message.json);
        if (parsed.ok) this.#options.onmessage?.(parsed.value);
      }
    }
  };
}

function afterTimeout(ms: number, callback: () => void): () => void {
  const timer = setTimeout(callback, ms);
  return () => clearTimeout(timer);
}
