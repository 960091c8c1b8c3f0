import { createNotice } from '../create-notice.ts';
import { say, type Clock, type ToolDefinition, type TranslatableText } from '@toolyard/protocol';
import type { ChatRequest, StreamPart } from '../types.ts';
import { settingInWords, type SettingName } from './settings.ts';

/** Native tool definitions, which a server may reject as a whole. */
export const NATIVE_TOOLS = 'native-tools';

/** How long a rejection by the fault of a server is believed, in milliseconds: it may have had another cause. */
const DOUBTFUL_MS = 10 * 60_000;

/** A feature that was rejected, with the other features of that request, and when to try it again. */
type Rejection = { feature: string; among: ReadonlySet<string>; until: number };

type KnownModel = { rejections: Rejection[]; leftOut: Map<string, { schema: string; until: number }> };

/** What a request contains besides its messages, as far as servers reject combinations of it. */
function listFeatures(request: ChatRequest): Set<string> {
  const { parameters, responseFormat, continues } = request;
  const features = new Set(Object.keys(parameters.extra ?? {}).map((field) => `extra:${field}`));
  if (hasNativeTools(request)) features.add(NATIVE_TOOLS);
  if (parameters.reasoningEffort !== undefined) features.add('reasoningEffort');
  if (responseFormat !== undefined) features.add('responseFormat');
  if (continues === true) features.add('continues');
  return features;
}

export function hasNativeTools({ toolMode, tools }: ChatRequest): boolean {
  return toolMode === 'native' && tools.length > 0;
}

/**
 * What requests to one server omit, per model: the rule is that a rejected feature is left out wherever all other
 * features of the rejected request are present again, and nowhere else. Each is reported by a notice when it is learned.
 */
export class CapabilityFallbacks {
  readonly #server: string;
  readonly #clock: Clock;
  readonly #models = new Map<string, KnownModel>();
  readonly #reported = new Set<string>();

  constructor(server: string, clock: Clock) {
    this.#server = server;
    this.#clock = clock;
  }

  /** The features that are omitted from a request. */
  without(request: ChatRequest): Set<string> {
    const features = listFeatures(request);
    const now = this.#clock.monotonic();
    return new Set(
      this.#of(request.model).rejections.flatMap(({ feature, among, until }) =>
        now < until && [...among].every((each) => features.has(each)) ? [feature] : [],
      ),
    );
  }

  /** The tools of a request that were not rejected. A tool whose definition has changed is offered again. */
  offered({ model, tools }: ChatRequest): readonly ToolDefinition[] {
    const { leftOut } = this.#of(model);
    if (leftOut.size === 0) return tools;
    const now = this.#clock.monotonic();
    const isOffered = ({ name, inputSchema }: ToolDefinition): boolean => {
      const known = leftOut.get(name);
      return known === undefined || now >= known.until || known.schema !== JSON.stringify(inputSchema);
    };
    return tools.every(isOffered) ? tools : tools.filter(isOffered);
  }

  /** Omits a feature from now on. `status`: of the rejection; `among`: the features it was rejected with. */
  learn(request: ChatRequest, feature: string, status: number, among = listFeatures(request)): void {
    // A feature may occur together with itself only: `extra:grammar` among the tools, not among itself.
    among.delete(feature);
    const known = this.#of(request.model);
    const now = this.#clock.monotonic();
    const current = known.rejections.filter((each) => now < each.until);
    known.rejections = [...current, { feature, among, until: this.#believedUntil(status) }];
  }

  /** Sends a feature again that did not turn out to be the reason. */
  forget(model: string, feature: string): void {
    const known = this.#of(model);
    known.rejections = known.rejections.filter((each) => each.feature !== feature);
  }

  /** Leaves a tool out from now on. `status`: of the rejection. */
  leaveOut(model: string, { name, inputSchema }: ToolDefinition, status: number): void {
    const schema = JSON.stringify(inputSchema);
    this.#of(model).leftOut.set(name, { schema, until: this.#believedUntil(status) });
  }

  #believedUntil(status: number): number {
    return status >= 400 && status < 500 ? Number.POSITIVE_INFINITY : this.#clock.monotonic() + DOUBTFUL_MS;
  }

  /** Describes the tools of this model in the prompt from now on. */
  describeTools(model: string): StreamPart {
    this.#of(model).rejections.push({ feature: NATIVE_TOOLS, among: new Set(), until: Number.POSITIVE_INFINITY });
    return this.toolsAsText(model);
  }

  toolsAsText(model: string): StreamPart {
    return createNotice(
      'tools_as_text',
      say`${this.#server} does not support tool definitions for ${model}: the tools are described in the prompt instead.`,
    );
  }

  /** Reports each setting that the wire or the model does not support, once. */
  report(model: string, omittedSettings: readonly SettingName[], notices: StreamPart[]): void {
    for (const name of omittedSettings) {
      const text = say`${model} at ${this.#server} does not support ${settingInWords(name)}: it was left out.`;
      if (this.isNew(text)) notices.push(createNotice('setting_left_out', text));
    }
  }

  /** True once for each text. */
  isNew({ text }: TranslatableText): boolean {
    if (this.#reported.has(text)) return false;
    this.#reported.add(text);
    return true;
  }

  #of(model: string): KnownModel {
    let known = this.#models.get(model);
    if (known === undefined) this.#models.set(model, (known = { rejections: [], leftOut: new Map() }));
    return known;
  }
}
