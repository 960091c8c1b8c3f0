import { createNotice } from '../create-notice.ts';
import { say, type Message, type ToolDefinition } from '@toolyard/protocol';
import type { ChatRequest, StreamPart } from '../types.ts';
import { hasNativeTools, NATIVE_TOOLS, type CapabilityFallbacks } from './capability-fallbacks.ts';
import type { ApiDialect, OutgoingChat } from './dialect.ts';
import type { EndpointOutcome } from './endpoint.ts';
import { isAboutTools, namedTools, pointsAtTools } from './named-tools.ts';
import { toModelError, type ErrorContext, type ProviderFault } from './provider-error.ts';
import { shortened } from './shortened.ts';
import { rejectsSystemRole, SYSTEM_ROLE } from './system-role.ts';
import { getFeature, namedSetting, sentInWords, type SentSetting, type SettingName } from './settings.ts';
import { FULL_SCHEMAS, renamedTools, type RenamedTools } from './tool-function.ts';

/** A request without an answer whose status the server chose. */
export type Refusal = Extract<EndpointOutcome, { kind: 'refused' }>;

/** The form in which a request is sent. */
export type RequestForm = {
  request: ChatRequest;
  /** The features that are left out. */
  without: ReadonlySet<string>;
  /** Tools whose property keys are sent under other names. */
  renamed: RenamedTools | null;
  outgoing: OutgoingChat;
};

/** A simpler form of a request: without some tools, without some settings, or with its tools as text. */
type Simplification = {
  tools: readonly ToolDefinition[];
  settings: readonly SentSetting[];
  features: readonly string[];
};

const REPEATED_STATUS: readonly number[] = [400, 422, 500];

/** Statuses that say why a request failed, and that its form is not the reason. */
const OTHER_STATUS: readonly number[] = [401, 402, 403, 404, 408, 413, 429];

/** Stands for the status of a rejection whose reason is not known. */
const UNKNOWN_STATUS = 0;

/** What does not change how the model samples, or has a meaning of its own. */
const NO_TUNING: readonly SettingName[] = ['extra', 'responseFormat', 'maxOutputTokens', 'toolChoice'];

/** Calls of earlier answers in a request without tools. */
const CALLS_ALONE = 'calls without tools';

/** Largest number of simpler forms. */
const MAX_STEPS = 2;

/** Largest number of settings that are left out one by one because the server names them. */
const MAX_NAMED = 4;

/**
 * The forms in which one call sends its request. The rule: a request that is rejected with 400, 422 or 500 before any
 * output, or with an error about its tools, is repeated without the setting that the error names; otherwise at most twice in a simpler form, chosen by the
 * features of the request. What the accepted form omits is remembered; if none is accepted, the first reason counts.
 */
export class RequestForms {
  readonly #fallbacks: CapabilityFallbacks;
  readonly #dialect: ApiDialect;
  #request: ChatRequest;
  readonly #errors: ErrorContext;
  #named = 0;
  /** Whether the last rejection was of another kind: it counts itself. */
  #isOther = false;
  /** Whether the system message was folded in this call: words about roles may mean others. */
  #isFolded = false;
  /** The simpler forms still to try; null: none was needed yet. */
  #steps: Simplification[] | null = null;
  #trial: Simplification = { tools: [], settings: [], features: [] };
  #first: { refusal: Refusal; form: RequestForm } | null = null;

  constructor(fallbacks: CapabilityFallbacks, dialect: ApiDialect, request: ChatRequest, errors: ErrorContext) {
    this.#fallbacks = fallbacks;
    this.#dialect = dialect;
    this.#request = request;
    this.#errors = errors;
  }

  /** Changes the content of all further forms. */
  change(how: (request: ChatRequest) => ChatRequest): void {
    this.#request = how(this.#request);
  }

  /** The form to send now. */
  current(): RequestForm {
    return this.#form(this.#trial);
  }

  #form({ tools, settings, features }: Simplification): RequestForm {
    const fallbacks = this.#fallbacks;
    const omitted = new Set([...fallbacks.without(this.#request), ...features, ...settings.map(getFeature)]);
    const { toolMode, toolChoice, tools: all } = this.#request;
    const isCallsAlone = all.length === 0 && omitted.has(CALLS_ALONE);
    const { maxTools = Number.POSITIVE_INFINITY } = this.#dialect.tools;
    const accepted = fallbacks.offered(this.#request);
    const offered = tools.length === 0 ? accepted : accepted.filter((tool) => !tools.includes(tool));
    const isForced = ({ name }: ToolDefinition): boolean => typeof toolChoice !== 'string' && name === toolChoice.name;
    const isForcedOut = all.some(isForced) && !offered.some(isForced);
    const isLeft = all.length === 0 || (offered.length > 0 && !isForcedOut);
    // As text, every tool can be described.
    if (toolMode === 'text' || omitted.has(NATIVE_TOOLS) || isCallsAlone || !isLeft)
      return this.#written({ ...this.#request, toolMode: 'text' }, omitted);
    // The tool that must be called is never left out.
    const limited =
      offered.length > maxTools
        ? [...offered.filter(isForced), ...offered.filter((tool) => !isForced(tool))].slice(0, maxTools)
        : offered;
    return this.#written(limited === all ? this.#request : { ...this.#request, tools: limited }, omitted);
  }

  #written(request: ChatRequest, without: ReadonlySet<string>): RequestForm {
    const { messages, tools } = request;
    const renamed = hasNativeTools(request) ? renamedTools(tools, this.#dialect.tools, without) : null;
    const sent =
      renamed === null ? request : { ...request, messages: messages.map((each) => withSentNames(each, renamed)) };
    return { request, without, renamed, outgoing: this.#dialect.chat(sent, without) };
  }

  /** Reports what the API format cannot send, once. */
  report({ request, outgoing }: RequestForm, notices: StreamPart[]): void {
    const { model, tools } = this.#request;
    this.#fallbacks.report(model, outgoing.omittedSettings, notices);
    const { maxTools } = this.#dialect.tools;
    if (maxTools === undefined || tools.length <= maxTools || request.toolMode === 'text') return;
    const text = say`${model} at ${this.#errors.server} accepts at most ${maxTools} tools: ${tools.length - maxTools} were left out.`;
    if (this.#fallbacks.isNew(text)) notices.push(createNotice('tool_left_out', text));
  }

  /** Chooses the next form after a rejection; false if the request should not be repeated. */
  simplify(form: RequestForm, refusal: Refusal, notices: StreamPart[]): boolean {
    this.#isOther = !this.isOfForm(form, refusal.status, refusal.error);
    if (this.#isOther) return false;
    if (this.#steps === null && this.#leaveOutNamed(form, refusal, notices)) return true;
    if (this.#steps === null) {
      this.#first = { refusal, form };
      this.#steps = this.#stepsFor(form, refusal);
    }
    for (let next = this.#steps.shift(); next !== undefined; next = this.#steps.shift()) {
      if (this.#form(next).outgoing.body === form.outgoing.body) continue;
      this.#trial = next;
      return true;
    }
    this.#trial = { tools: [], settings: [], features: [] };
    if (this.#isFolded) this.#fallbacks.forget(this.#request.model, SYSTEM_ROLE);
    return false;
  }

  /**
   * True if the form of the request may be the reason: by the status and kind of the error; with a status that decides
   * neither way, if it is about the tools of the request.
   */
  isOfForm({ request }: RequestForm, status: number, error: ProviderFault): boolean {
    // An error may name a tool that was left out before.
    const tools = hasNativeTools(request) ? this.#request.tools : [];
    if (this.#dialect.toolRefusals?.includes(status) === true && error.message !== '') return tools.length > 0;
    if (OTHER_STATUS.includes(status)) return false;
    const { code } = toModelError(error, status, this.#errors);
    const isAtFault = code === 'bad_request' || code === 'bad_response';
    if (REPEATED_STATUS.includes(status) && isAtFault) return true;
    // A busy server may mention tools of its own.
    if (isAtFault || code === 'not_a_model_server') return isAboutTools(tools, error);
    return code === 'overloaded' && pointsAtTools(tools, error);
  }

  /** The rejection that counts: of the first form, unless the last one was of another kind. */
  counted(refusal: Refusal): Refusal {
    return this.#isOther ? refusal : (this.#first?.refusal ?? refusal);
  }

  /** Remembers what the accepted form omits, and reports it. */
  accepted(): StreamPart[] {
    const first = this.#first;
    if (first === null) return [];
    const { form, refusal } = first;
    const { model } = this.#request;
    const { tools, settings, features } = this.#trial;
    const reason = this.#getReason(refusal);
    const notices: StreamPart[] = [];
    // Which of several it was is not known.
    const isCertain = settings.length === 0 || settings.length + features.length === 1;
    const status = isCertain ? refusal.status : UNKNOWN_STATUS;
    for (const tool of tools) {
      this.#fallbacks.leaveOut(model, tool, refusal.status);
      const text = say`${model} at ${this.#errors.server} rejected the tool ${tool.name}, so it was left out: ${reason}`;
      notices.push(createNotice('tool_left_out', text));
    }
    for (const feature of [...features, ...settings.map(getFeature)])
      this.#fallbacks.learn(form.request, feature, status);
    if (features.includes(NATIVE_TOOLS)) notices.push(this.#fallbacks.toolsAsText(model));
    const [setting] = settings;
    if (setting !== undefined && isCertain) notices.push(this.#settingNotice(setting, reason));
    else if (setting !== undefined) {
      const all = settings.map(sentInWords).join(', ');
      const text = say`${model} at ${this.#errors.server} accepted the request only without these settings: ${all}. Reason: ${reason}`;
      notices.push(createNotice('setting_left_out', text));
    }
    this.#first = null;
    return notices;
  }

  /** Leaves out what the error names: a feature of the wire, the role of the system message, or a setting. */
  #leaveOutNamed(form: RequestForm, refusal: Refusal, notices: StreamPart[]): boolean {
    if (this.#named >= MAX_NAMED) return false;
    const { error, status } = refusal;
    const { sent } = form.outgoing;
    const tools = hasNativeTools(form.request) ? form.request.tools : [];
    const setting = namedSetting(sent, error, !isAboutTools(tools, error));
    const isSetting = setting !== null && error.param.startsWith(setting.field);
    if (!isSetting && namedTools(tools, error).length > 0) return false;
    const fallback = this.#dialect.fallbackFor?.(error, form.request, form.without) ?? null;
    if (fallback !== null && !form.without.has(fallback.without)) {
      this.#named += 1;
      this.#fallbacks.learn(form.request, fallback.without, status);
      if (fallback.notice !== undefined) notices.push(fallback.notice);
      return true;
    }
    if (!form.without.has(SYSTEM_ROLE) && rejectsSystemRole(error, form.request)) {
      this.#named += 1;
      this.#fallbacks.learn(form.request, SYSTEM_ROLE, status, new Set());
      this.#isFolded = true;
      return true;
    }
    if (setting === null || form.without.has(getFeature(setting))) return false;
    this.#named += 1;
    this.#fallbacks.learn(form.request, getFeature(setting), status);
    notices.push(this.#settingNotice(setting, this.#getReason(refusal)));
    return true;
  }

  /**
   * At most two forms. With tools: without the named tools or with simpler schemas and settings, then with tools as text.
   * Otherwise without extra fields, without any optional setting, without the role of the system message.
   */
  #stepsFor({ request, without, outgoing }: RequestForm, { error, status }: Refusal): Simplification[] {
    const { toolChoice } = request;
    const sent = [...new Map(outgoing.sent.map((each) => [getFeature(each), each])).values()];
    // A 500 may be temporary: it is no reason to change how the model samples.
    const isTuned = status !== 500 && !isAboutTools(request.tools, error);
    const groups = [
      sent.filter(({ name }) => name === 'extra'),
      sent.filter(({ name }) => isTuned && !NO_TUNING.includes(name)),
      sent.filter(({ name }) => name === 'responseFormat'),
    ].filter((group) => group.length > 0);
    const optional = groups.flat();
    if (hasCallsAlone(request)) {
      const first = optional.length === 0 ? [] : [{ tools: [], settings: optional, features: [] }];
      return [{ tools: [], settings: [], features: [CALLS_ALONE] }, ...first];
    }
    if (!hasNativeTools(request)) {
      const [first = [], second = []] = groups;
      const settings = groups.length < 3 ? [first, [...first, ...second]] : [first, optional];
      const simpler = settings.slice(0, groups.length).map((each) => ({ tools: [], settings: each, features: [] }));
      const hasSystem = request.messages.some(({ role }) => role === 'system');
      const isFolded = simpler.length < MAX_STEPS && status !== 500 && hasSystem;
      return isFolded ? [...simpler, { tools: [], settings: [], features: [SYSTEM_ROLE] }] : simpler;
    }
    const named = namedTools(request.tools, error);
    const isForced = typeof toolChoice !== 'string' && named.some(({ name }) => name === toolChoice.name);
    const first: Simplification =
      named.length > 0 && named.length < request.tools.length && !isForced
        ? { tools: named, settings: [], features: [] }
        : { tools: [], settings: optional, features: without.has(FULL_SCHEMAS) ? [] : [FULL_SCHEMAS] };
    return [first, { tools: [], settings: [], features: [NATIVE_TOOLS] }];
  }

  #settingNotice(setting: SentSetting, reason: string): StreamPart {
    const { model } = this.#request;
    const text = say`${model} at ${this.#errors.server} rejected the ${sentInWords(setting)}, so it was left out: ${reason}`;
    return createNotice('setting_left_out', text);
  }

  #getReason({ error, status }: Refusal): string {
    const reason = shortened(this.#errors.redact(error.message));
    return reason === '' ? `HTTP ${status}` : reason;
  }
}

function hasCallsAlone({ messages, tools, toolMode }: ChatRequest): boolean {
  if (toolMode === 'text' || tools.length > 0) return false;
  return messages.some(({ role, parts }) => role === 'assistant' && parts.some(({ type }) => type === 'tool_call'));
}

/** The calls of an earlier answer, under the names that are sent. */
function withSentNames(message: Message, renamed: RenamedTools): Message {
  if (message.role !== 'assistant') return message;
  let isChanged = false;
  const parts = message.parts.map((part) => {
    if (part.type !== 'tool_call') return part;
    const args = renamed.toSent(part.name, part.arguments);
    isChanged ||= args !== part.arguments;
    return args === part.arguments ? part : { ...part, arguments: args };
  });
  return isChanged ? { ...message, parts } : message;
}
