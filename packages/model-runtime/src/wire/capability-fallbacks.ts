import type { ChatRequest, StreamPart } from '../types.ts';
import type { ApiDialect, OutgoingChat } from './dialect.ts';
import type { EndpointOutcome } from './endpoint.ts';
import { isToolRefusal, shortened, toModelError, type ErrorContext } from './provider-error.ts';
import { rejectedSetting, settingInWords, type SettingName } from './settings.ts';

/** Maximum number of fallbacks per request, for servers that keep rejecting. */
const MAX_FALLBACKS = 8;

/** Native tool definitions, which a server may reject as a whole. */
const NATIVE_TOOLS = 'native-tools';

/**
 * Features that requests to one server omit, per model. Each is learned from one rejected request and remembered, and
 * is always reported by a notice.
 */
export class CapabilityFallbacks {
  readonly #server: string;
  readonly #byModel = new Map<string, Set<string>>();
  readonly #reported = new Set<string>();

  constructor(server: string) {
    this.#server = server;
  }

  of(model: string): ReadonlySet<string> {
    return this.#of(model);
  }

  /** The request without the features this server rejects. */
  apply(request: ChatRequest): ChatRequest {
    const asText = request.toolMode === 'native' && this.#of(request.model).has(NATIVE_TOOLS);
    return asText ? { ...request, toolMode: 'text' } : request;
  }

  /** Reports each setting that the wire or the model does not support, once. */
  report(model: string, omittedSettings: readonly SettingName[], notices: StreamPart[]): void {
    for (const name of omittedSettings) {
      const key = `${model}\n${name}`;
      if (this.#reported.has(key)) continue;
      this.#reported.add(key);
      notices.push({
        type: 'notice',
        code: 'setting_left_out',
        text: `${model} at ${this.#server} does not support ${settingInWords(name)}: it was left out.`,
      });
    }
  }

  /** Handles a rejected request: true if it can be retried without the rejected feature. */
  learn(
    dialect: ApiDialect,
    { status, error }: Extract<EndpointOutcome, { kind: 'refused' }>,
    request: ChatRequest,
    outgoing: OutgoingChat,
    errors: ErrorContext,
    notices: StreamPart[],
  ): boolean {
    const features = this.#of(request.model);
    if (features.size >= MAX_FALLBACKS) return false;
    if (request.toolMode === 'native' && request.tools.length > 0 && isToolRefusal(error)) {
      this.describeTools(request.model, notices);
      return true;
    }
    // Errors of key, model or context length are not caused by a feature, even if the message mentions one.
    if (toModelError(error, status, errors).code !== 'bad_request') return false;

    const fallback = dialect.fallbackFor?.(error, request, features) ?? null;
    if (fallback !== null && !features.has(fallback.without)) {
      features.add(fallback.without);
      if (fallback.notice !== undefined) notices.push({ type: 'notice', ...fallback.notice });
      return true;
    }
    const name = rejectedSetting(outgoing.sent, error);
    if (name === null || features.has(name)) return false;
    features.add(name);
    const reason = shortened(errors.redact(error.message));
    notices.push({
      type: 'notice',
      code: 'setting_left_out',
      text: `${request.model} at ${this.#server} rejected the ${settingInWords(name)}, so it was left out: ${reason}`,
    });
    return true;
  }

  /** Describes the tools of this model in the prompt from now on. */
  describeTools(model: string, notices: StreamPart[]): void {
    this.#of(model).add(NATIVE_TOOLS);
    notices.push({
      type: 'notice',
      code: 'tools_as_text',
      text: `${this.#server} does not support tool definitions for ${model}: the tools are described in the prompt instead.`,
    });
  }

  #of(model: string): Set<string> {
    let features = this.#byModel.get(model);
    if (features === undefined) this.#byModel.set(model, (features = new Set()));
    return features;
  }
}
