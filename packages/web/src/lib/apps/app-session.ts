import type { JsonObject, JsonValue } from '@toolyard/protocol';
import { isJsonObject, messageOf } from '@toolyard/protocol';

/** Version of MCP Apps (SEP-1865) that this host implements. */
const PROTOCOL_VERSION = '2026-01-26';
/** Requests of an app that may be open at once; more are rejected. */
const MAX_OPEN = 16;
const MAX_CONTEXT = 40_000;

export type DisplayMode = 'inline' | 'fullscreen' | 'pip';
export const DISPLAY_MODES: readonly DisplayMode[] = ['inline', 'fullscreen', 'pip'];

/** What the page does for an app. Everything an app sends is untrusted; each method decides what is allowed. */
export type AppHost = {
  /** Resolves with an MCP `CallToolResult`. Rejects if the call is not allowed. */
  callTool(name: string, args: JsonObject): Promise<JsonObject>;
  /** `tools/list`, `resources/list`, `resources/templates/list`, `resources/read`, `prompts/list` of its own server. */
  request(method: string, params: JsonObject): Promise<JsonObject>;
  /** False if the user declined. */
  openLink(url: string): Promise<boolean>;
  download(contents: JsonValue[]): Promise<boolean>;
  sendMessage(text: string): Promise<boolean>;
  /** Content for the next message to the model; null removes it. */
  updateContext(text: string | null): void;
  /** The mode that is in force afterwards. */
  display(mode: DisplayMode): Promise<DisplayMode>;
  resized(height: number): void;
  log(level: string, text: string): void;
  /** The app finished its initialization. `modes`: the display modes it supports, all unless it declares some. */
  ready(modes: readonly DisplayMode[]): void;
  /** The app asks to be closed. */
  closed(): void;
};

/** The tool call that an app shows. */
export type AppCall = {
  /** `isPartial`: the model is still writing them. */
  arguments: JsonObject;
  isPartial: boolean;
  /** An MCP `CallToolResult`; null while the call is in progress. */
  result: JsonObject | null;
  /** The call ended without a result. */
  cancelled: boolean;
};

type Options = {
  /** Sends a message to the app. */
  post: (message: JsonObject) => void;
  host: AppHost;
  /** `hostContext` of the specification. */
  context: JsonObject;
  call: AppCall;
  /** Name and version of this host. */
  info: { name: string; version: string };
  /** What the user allowed: `sandbox` of the host's capabilities. */
  sandbox: JsonObject;
};

const READS = ['tools/list', 'resources/list', 'resources/templates/list', 'resources/read', 'prompts/list'];

/**
 * The host side of one MCP App over the channel of its frame: JSON-RPC 2.0 as in the specification 2026-01-26. The
 * library of the specification forwards every `tools/call` of an app to the server; here nothing reaches a server
 * without {@link AppHost}.
 */
export class AppSession {
  readonly #options: Options;
  #state: 'loaded' | 'initializing' | 'ready' | 'ended' = 'loaded';
  #open = 0;
  #call: AppCall;
  #context: JsonObject;
  #modes: readonly DisplayMode[] = DISPLAY_MODES;
  #hasSentInput = false;
  #hasSentResult = false;
  #endTeardown: (() => void) | undefined;

  constructor(options: Options) {
    this.#options = options;
    this.#call = options.call;
    this.#context = options.context;
  }

  get isReady(): boolean {
    return this.#state === 'ready';
  }

  /** Takes a message of the app. Anything that is not JSON-RPC is ignored. */
  receive(message: JsonValue): void {
    if (!isJsonObject(message) || this.#state === 'ended') return;
    const { id, method, params = {} } = message;
    if (typeof method !== 'string') {
      if (id === TEARDOWN_ID) this.#endTeardown?.();
      return;
    }
    const input = isJsonObject(params) ? params : {};
    if (typeof id === 'string' || typeof id === 'number') void this.#answer(id, method, input);
    else if (id === undefined) this.#notice(method, input);
  }

  /** More of the arguments is known, or the call has a result, or it ended without one. */
  update(call: AppCall): void {
    this.#call = call;
    if (this.#state === 'ready') this.#sendCall();
  }

  /** Theme, language, size or display mode changed; only the changed fields are sent. */
  setContext(change: JsonObject): void {
    this.#context = { ...this.#context, ...change };
    if (this.#state === 'ready') this.#notify('ui/notifications/host-context-changed', change);
  }

  /** Lets the app store its state; resolves when it has answered, or after `waitMs`. */
  async teardown(waitMs = 500): Promise<void> {
    if (this.#state === 'ready') {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, waitMs);
        this.#endTeardown = () => {
          clearTimeout(timer);
          resolve();
        };
        this.#options.post({ jsonrpc: '2.0', id: TEARDOWN_ID, method: 'ui/resource-teardown', params: {} });
      });
    }
    this.#state = 'ended';
  }

  #notify(method: string, params: JsonObject): void {
    this.#options.post({ jsonrpc: '2.0', method, params });
  }

  async #answer(id: string | number, method: string, params: JsonObject): Promise<void> {
    const { post } = this.#options;
    const reject = (code: number, message: string): void => post({ jsonrpc: '2.0', id, error: { code, message } });
    if (method !== 'ping' && method !== 'ui/initialize' && this.#state !== 'ready') {
      return reject(-32002, 'Initialize first: send "ui/initialize", then "ui/notifications/initialized".');
    }
    if (this.#open >= MAX_OPEN) return reject(-32000, `More than ${String(MAX_OPEN)} requests are open.`);
    this.#open += 1;
    try {
      const result = await this.#perform(method, params);
      if (result === null) reject(-32601, `This host does not support "${method.slice(0, 100)}".`);
      else post({ jsonrpc: '2.0', id, result });
    } catch (thrown) {
      reject(-32000, messageOf(thrown));
    } finally {
      this.#open -= 1;
    }
  }

  /** Null for an unknown method. */
  async #perform(method: string, params: JsonObject): Promise<JsonObject | null> {
    const { host } = this.#options;
    if (READS.includes(method)) return host.request(method, params);
    switch (method) {
      case 'ping':
        return {};
      case 'ui/initialize':
        if (this.#state === 'loaded') this.#state = 'initializing';
        this.#modes = modesIn(params);
        return this.#initialized();
      case 'tools/call':
        return host.callTool(textIn(params, 'name'), isJsonObject(params['arguments']) ? params['arguments'] : {});
      case 'ui/open-link':
        return { isError: !(await host.openLink(textIn(params, 'url'))) };
      case 'ui/download-file':
        return { isError: !(await host.download(listIn(params, 'contents'))) };
      case 'ui/message':
        return { isError: !(await host.sendMessage(textOfContent(listIn(params, 'content')))) };
      case 'ui/update-model-context': {
        const text = contextText(params);
        if (text.length > MAX_CONTEXT) throw new Error(`The context is longer than ${String(MAX_CONTEXT)} characters.`);
        host.updateContext(text === '' ? null : text);
        return {};
      }
      case 'ui/request-display-mode': {
        const wanted = DISPLAY_MODES.find((mode) => mode === params['mode']);
        if (wanted === undefined) throw new Error(`"mode" must be one of ${DISPLAY_MODES.join(', ')}.`);
        return { mode: await host.display(wanted) };
      }
      default:
        return null;
    }
  }

  #initialized(): JsonObject {
    return {
      protocolVersion: PROTOCOL_VERSION,
      hostInfo: this.#options.info,
      hostCapabilities: {
        openLinks: {},
        downloadFile: {},
        serverTools: {},
        serverResources: {},
        logging: {},
        sandbox: this.#options.sandbox,
        updateModelContext: { text: {}, structuredContent: {} },
        message: { text: {} },
      },
      hostContext: this.#context,
    };
  }

  #notice(method: string, params: JsonObject): void {
    const { host } = this.#options;
    switch (method) {
      case 'ui/notifications/initialized':
        if (this.#state !== 'initializing') return;
        this.#state = 'ready';
        host.ready(this.#modes);
        return this.#sendCall();
      case 'ui/notifications/size-changed':
        if (typeof params['height'] === 'number' && params['height'] > 0) host.resized(params['height']);
        return;
      case 'notifications/message': {
        const { level, data } = params;
        return host.log(
          typeof level === 'string' ? level : 'info',
          typeof data === 'string' ? data : JSON.stringify(data ?? null),
        );
      }
      case 'ui/notifications/request-teardown':
        return host.closed();
    }
  }

  #sendCall(): void {
    const { arguments: args, isPartial, result, cancelled } = this.#call;
    if (!this.#hasSentInput) {
      this.#hasSentInput = !isPartial;
      this.#notify(`ui/notifications/tool-input${isPartial ? '-partial' : ''}`, { arguments: args });
    }
    if (this.#hasSentResult || (result === null && !cancelled)) return;
    this.#hasSentResult = true;
    if (result === null)
      this.#notify('ui/notifications/tool-cancelled', { reason: 'The call ended without a result.' });
    else this.#notify('ui/notifications/tool-result', result);
  }
}

const TEARDOWN_ID = 'toolyard-teardown';

function modesIn(params: JsonObject): readonly DisplayMode[] {
  const { appCapabilities } = params;
  const declared = isJsonObject(appCapabilities) ? appCapabilities['availableDisplayModes'] : undefined;
  return Array.isArray(declared) ? DISPLAY_MODES.filter((mode) => declared.includes(mode)) : DISPLAY_MODES;
}

function textIn(params: JsonObject, name: string): string {
  const value = params[name];
  if (typeof value !== 'string') throw new Error(`"${name}" must be a string.`);
  return value;
}

function listIn(params: JsonObject, name: string): JsonValue[] {
  const value = params[name];
  if (!Array.isArray(value)) throw new Error(`"${name}" must be an array.`);
  return value;
}

/** The text of content blocks; other kinds are left out. */
function textOfContent(blocks: readonly JsonValue[]): string {
  return blocks
    .flatMap((block) => (isJsonObject(block) && typeof block['text'] === 'string' ? [block['text']] : []))
    .join('\n\n');
}

function contextText(params: JsonObject): string {
  const { content, structuredContent } = params;
  const text = Array.isArray(content) ? textOfContent(content) : '';
  const data = isJsonObject(structuredContent) ? JSON.stringify(structuredContent, null, 2) : '';
  return [text, data].filter((part) => part !== '').join('\n\n');
}
