import type { ChatRequest, StreamPart } from '../types.ts';
import type { ApiDialect, OutgoingChat } from './dialect.ts';
import type { EndpointOutcome } from './endpoint.ts';
import { isToolRefusal, shortened, toModelError, type ErrorContext } from './provider-error.ts';
import { rejectedSetting, settingInWords, type SettingName } from './settings.ts';

/** Most concessions one request may need: a server that refuses on and on is not to be pleased. */
const MOST = 8;

/** Offering tools natively: what a server may refuse as a whole. */
const NATIVE_TOOLS = 'native-tools';

/**
 * What requests to one server go without, for each model: found out by being refused, then remembered, so that it
 * costs one request and one notice. Nothing is ever left away in silence.
 */
export class CapabilityFallbacks {
  readonly #server: string;
  readonly #byModel = new Map<string, Set<string>>();
  readonly #told = new Set<string>();

  constructor(server: string) {
    this.#server = server;
  }

  of(model: string): ReadonlySet<string> {
    return this.#of(model);
  }

  /** The request as this server takes it. */
  apply(request: ChatRequest): ChatRequest {
    const asText = request.toolMode === 'native' && this.#of(request.model).has(NATIVE_TOOLS);
    return asText ? { ...request, toolMode: 'text' } : request;
  }

  /** Tells once of each setting that the wire or the model has not. */
  tell(model: string, leftOut: readonly SettingName[], notices: StreamPart[]): void {
    for (const name of leftOut) {
      const key = `${model}\n${name}`;
      if (this.#told.has(key)) continue;
      this.#told.add(key);
      notices.push({
        type: 'notice',
        code: 'setting_left_out',
        text: `${model} at ${this.#server} takes no ${settingInWords(name)}: it was left out.`,
      });
    }
  }

  /** After a refusal: true where the request can be sent again without what was refused. */
  make(
    dialect: ApiDialect,
    { status, error }: Extract<EndpointOutcome, { kind: 'refused' }>,
    request: ChatRequest,
    outgoing: OutgoingChat,
    errors: ErrorContext,
    notices: StreamPart[],
  ): boolean {
    const made = this.#of(request.model);
    if (made.size >= MOST) return false;
    if (request.toolMode === 'native' && request.tools.length > 0 && isToolRefusal(error)) {
      this.describeTools(request.model, notices);
      return true;
    }
    // A key, a model or a context that is at fault stays so, whatever the message mentions beside it.
    if (toModelError(error, status, errors).code !== 'bad_request') return false;

    const conceded = dialect.concede?.(error, request, made) ?? null;
    if (conceded !== null && !made.has(conceded.without)) {
      made.add(conceded.without);
      if (conceded.notice !== undefined) notices.push({ type: 'notice', ...conceded.notice });
      return true;
    }
    const name = rejectedSetting(outgoing.sent, error);
    if (name === null || made.has(name)) return false;
    made.add(name);
    const said = shortened(errors.redact(error.message));
    notices.push({
      type: 'notice',
      code: 'setting_left_out',
      text: `${request.model} at ${this.#server} refused the ${settingInWords(name)}, so it was left out: ${said}`,
    });
    return true;
  }

  /** From now on the tools of this model are described in the prompt. */
  describeTools(model: string, notices: StreamPart[]): void {
    this.#of(model).add(NATIVE_TOOLS);
    notices.push({
      type: 'notice',
      code: 'tools_as_text',
      text: `${this.#server} takes no tool definitions for ${model}: the tools are described in the prompt instead.`,
    });
  }

  #of(model: string): Set<string> {
    let made = this.#byModel.get(model);
    if (made === undefined) this.#byModel.set(model, (made = new Set()));
    return made;
  }
}
