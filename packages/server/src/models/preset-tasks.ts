import type { PresetPrompt } from '@toolyard/agent-runtime';
import { ASSUMED_WINDOW, hasWholeLine, MAX_REASONING_TOKENS, presetPrompt } from '@toolyard/agent-runtime';
import type { GeneratedObject, StreamPart } from '@toolyard/model-runtime';
import type {
  AgentConfiguration,
  Clock,
  ErrorInfo,
  IdSource,
  JsonValue,
  Message,
  ModelReference,
  Owner,
  PresetTaskCall,
  PresetTaskName,
  PresetTaskResult,
  ResolvedAgentConfiguration,
} from '@toolyard/protocol';
import { defaultSettings, defined, textOf, toErrorInfo, ToolyardError, say } from '@toolyard/protocol';
import type { SharedStorage, StoredConversation } from '@toolyard/storage';
import { createInvalidError, createNotFoundError } from '../errors.ts';
import { readStoredConfiguration } from '../config/agent-configuration.ts';
import type { Configurations, Models } from '../services.ts';
import type { ApiChatCall } from '../telemetry/call-spans.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import { DEMO } from './demo-provider.ts';
import type { ModelCalls } from './model-calls.ts';

/** What happens during a preset task; `result` and `error` are the last. */
export type PresetTaskEvent =
  | { event: 'text'; data: string }
  | { event: 'result'; data: PresetTaskResult }
  | { event: 'error'; data: ErrorInfo };

/** Preset tasks: one model request, or two if the first answer cannot be used. */
export type PresetTasks = {
  /**
   * Starts a task of the owner. Errors of the model are events. The text of an answer without a form is streamed.
   *
   * @throws ToolyardError if the conversation does not exist, the task is off, or no model is configured
   */
  run(principal: Owner, call: PresetTaskCall): Promise<(signal: AbortSignal) => AsyncIterable<PresetTaskEvent>>;
  /** False if the task is off or has no model that can do it. */
  isAvailable(principal: Owner, call: PresetTaskCall): Promise<boolean>;
};

export type PresetTasksOptions = {
  calls: Pick<ModelCalls, 'chat' | 'generateObject'>;
  storage: Pick<SharedStorage, 'conversations' | 'messages'>;
  configurations: Pick<Configurations, 'resolve'>;
  models: Pick<Models, 'abilities' | 'price'>;
  ids: IdSource;
  clock: Pick<Clock, 'after'>;
  telemetry?: Pick<Telemetry, 'watch'>;
};

/** A short answer that takes longer fails; a server with one slot answers no other request meanwhile. */
export const SHORT_TASK_TIMEOUT_MS = 60_000;
/** Answers as long as their input, on a slow local model. */
const LONG_TASK_TIMEOUT_MS = 600_000;

type Layers = Parameters<Configurations['resolve']>[1];
type Answer = JsonValue | undefined;
/** What a model answered; `isCut`: up to its output limit. */
type Asked = { answer: Answer; isCut: boolean };
type Turn = { principal: Owner; call: PresetTaskCall; model: ModelReference; prompt: PresetPrompt<PresetTaskValue> };
type PresetTaskValue = PresetTaskResult['value'];

export function createPresetTasks(options: PresetTasksOptions): PresetTasks {
  const { calls, storage, configurations, models, ids, clock, telemetry } = options;

  async function prepare(principal: Owner, call: PresetTaskCall): Promise<Turn> {
    const { stored, ...layers } = await readContext(principal, call.conversationId);
    const messages = stored === null ? [] : await storage.messages.branch(principal, stored.id);
    const model = modelFor(call, await configurations.resolve(principal, layers));
    const { contextWindow = ASSUMED_WINDOW } =
      call.task === 'summarize' ? await models.abilities(principal, model, { ask: true }) : {};
    const prompt = presetPrompt(call, { messages, window: contextWindow });
    const input = prompt.messages.at(-1);
    if (input === undefined || textOf(input).trim() === '') throw createNoTextError(call.task);
    return { principal, call, model, prompt };
  }

  async function readContext(
    principal: Owner,
    conversationId: string | undefined,
  ): Promise<{ stored: StoredConversation | null } & Layers> {
    if (conversationId === undefined) return { stored: null, agentId: null };
    const stored = await storage.conversations.get(principal, conversationId);
    if (stored === null) {
      throw createNotFoundError(say`There is no conversation ${conversationId}.`);
    }
    return { stored, agentId: stored.agentId, conversation: readStoredConfiguration(stored.configuration) };
  }

  /**
   * Asks once; text is passed on while it arrives. The request is cancelled as soon as its answer cannot change. The
   * returned answer is undefined if the model gave none.
   */
  async function* ask(turn: Turn, messages: readonly Message[], signal: AbortSignal): AsyncGenerator<string, Asked> {
    const { principal, model, prompt, call } = turn;
    const { providerId, modelId } = model;
    const { form, parameters, isOneLine } = prompt;
    // Before the request: nothing would handle its failure meanwhile.
    const price = await models.price(principal, model);
    let parts: AsyncIterable<readonly StreamPart[]>;
    let answer: Answer;
    if (form === undefined) {
      const request = { model: modelId, messages: [...messages], tools: [], parameters } as const;
      parts = (await calls.chat(principal, providerId, { ...request, toolChoice: 'none', toolMode: 'native' }))(signal);
    } else {
      const limits = { parameters, maxReasoningTokens: MAX_REASONING_TOKENS };
      const request = { model: modelId, messages: [...messages], ...form, ...limits };
      const made = calls.generateObject(principal, providerId, request, signal);
      parts = streamParts(made, (object) => (answer = object));
    }
    const traced: ApiChatCall = {
      id: ids.next(),
      providerId,
      task: call.task,
      request: { model: modelId, parameters },
      ...defined({ price, traceId: call.traceId }),
    };
    let text = '';
    let isCut = false;
    for await (const batch of telemetry?.watch(traced, parts) ?? parts) {
      for (const part of batch) {
        if (part.type === 'error') throw new ToolyardError(part.error);
        if (part.type === 'finish') isCut = part.reason === 'length';
        if (part.type !== 'text') continue;
        text += part.text;
        yield part.text;
      }
      if (isOneLine === true && hasWholeLine(text)) break;
    }
    return { answer: form === undefined ? text : answer, isCut };
  }

  async function* answered(first: Turn, caller: AbortSignal): AsyncGenerator<PresetTaskEvent> {
    const { task } = first.call;
    const deadline = new AbortController();
    const { form, isOneLine = false } = first.prompt;
    const timeoutMs = isOneLine || form !== undefined ? SHORT_TASK_TIMEOUT_MS : LONG_TASK_TIMEOUT_MS;
    const cancelTimer = clock.after(timeoutMs, () => deadline.abort());
    const signal = AbortSignal.any([caller, deadline.signal]);
    let turn = first;
    let { messages } = turn.prompt;
    try {
      for (const isLast of [false, true]) {
        const { answer, isCut } = yield* asEvents(ask(turn, messages, signal));
        if (caller.aborted) return;
        if (deadline.signal.aborted) throw createTimeoutError(task, turn.model, timeoutMs);
        const isSpent = isCut && typeof answer === 'string' && answer.trim() === '';
        // The first line of a title is complete, whatever would have followed; half a translation is not.
        if (isCut && !isOneLine && (isLast || !isSpent)) throw createCutOffError();
        const value = answer === undefined ? undefined : turn.prompt.read(answer);
        if (value !== undefined) {
          // Each prompt reads the type of value of its task.
          yield { event: 'result', data: { task, value } as PresetTaskResult };
          return;
        }
        if (isLast) throw createUnusableError(task, turn.model);
        if (isSpent) turn = withRoomToReason(turn);
        else messages = withRepair(messages, answer);
      }
    } catch (thrown) {
      if (caller.aborted) return;
      const error = deadline.signal.aborted ? createTimeoutError(task, turn.model, timeoutMs) : thrown;
      yield { event: 'error', data: toErrorInfo(error) };
    } finally {
      cancelTimer();
    }
  }

  return {
    async run(principal, call) {
      const turn = await prepare(principal, call);
      return (signal) => answered(turn, signal);
    },
    async isAvailable(principal, call) {
      const { stored: _stored, ...layers } = await readContext(principal, call.conversationId);
      return typeof chosenModel(call.task, await configurations.resolve(principal, layers)) === 'object';
    },
  };
}

/** The model of a task; `off` if the user chose that, `demo` if only the demo is left, `none` without a model. */
function chosenModel(
  task: PresetTaskName,
  { presetTasks, model }: ResolvedAgentConfiguration,
): ModelReference | 'off' | 'demo' | 'none' {
  const defaults: AgentConfiguration['presetTasks'] = defaultSettings('presetTasks');
  const chosen = presetTasks?.[task] ?? defaults[task] ?? model ?? 'none';
  return typeof chosen === 'object' && chosen.providerId === DEMO.id ? 'demo' : chosen;
}

function modelFor({ task }: PresetTaskCall, resolved: ResolvedAgentConfiguration): ModelReference {
  const chosen = chosenModel(task, resolved);
  switch (chosen) {
    case 'off':
      throw createInvalidError(say`The task "${task}" is off.`, say`Choose a model for it in the settings.`);
    case 'demo':
      throw new ToolyardError({
        code: 'model_not_found',
        message: say`The demo is no language model and cannot do this.`,
        hint: say`Add a provider in the settings.`,
      });
    case 'none':
      throw new ToolyardError({
        code: 'model_not_found',
        message: say`No model is configured.`,
        hint: say`Choose a model, or add a provider in the settings.`,
      });
    default:
      return chosen;
  }
}

async function* asEvents(texts: AsyncGenerator<string, Asked>): AsyncGenerator<PresetTaskEvent, Asked> {
  for (;;) {
    const next = await texts.next();
    if (next.done === true) return next.value;
    yield { event: 'text', data: next.value };
  }
}

/** A generated object as the parts of an answer, so that it is traced like one. */
async function* streamParts(
  made: Promise<GeneratedObject>,
  take: (object: JsonValue) => void,
): AsyncGenerator<readonly StreamPart[]> {
  const { object, usage } = await made;
  take(object);
  yield [...(usage === undefined ? [] : [{ type: 'usage', usage } as const]), { type: 'finish', reason: 'stop' }];
}

/** A model that reached the output limit without text always reasons: its next answer gets room for it. */
function withRoomToReason(turn: Turn): Turn {
  const { maxOutputTokens = 0 } = turn.prompt.parameters;
  const parameters = { ...turn.prompt.parameters, maxOutputTokens: maxOutputTokens + MAX_REASONING_TOKENS };
  return { ...turn, prompt: { ...turn.prompt, parameters } };
}

/** The request again, with the answer that could not be used. */
function withRepair(messages: readonly Message[], answer: Answer): readonly Message[] {
  const text = typeof answer === 'string' ? answer : JSON.stringify(answer ?? null);
  const base = { parentId: null, createdAt: 0 } as const;
  return [
    ...messages,
    {
      ...base,
      id: 'unusable',
      role: 'assistant',
      parts: [{ type: 'text', text: text === '' ? '(empty)' : text }],
      runId: '',
      model: '',
      finishReason: 'stop',
    },
    {
      ...base,
      id: 'repair',
      role: 'user',
      parts: [{ type: 'text', text: 'This answer cannot be used. Answer again, exactly in the form described above.' }],
    },
  ];
}

function createNoTextError(task: string): ToolyardError {
  return createInvalidError(say`There is no text for the task "${task}".`, say`Write something first.`);
}

function createCutOffError(): ToolyardError {
  return new ToolyardError({
    code: 'bad_response',
    message: say`The answer was cut off at the output limit of the model.`,
    hint: say`Choose a model with a larger output limit for this task, or shorten the text.`,
  });
}

function createTimeoutError(task: string, { modelId }: ModelReference, timeoutMs: number): ToolyardError {
  return new ToolyardError({
    code: 'timed_out',
    message: say`${modelId} did not finish the task "${task}" within ${timeoutMs / 1_000} seconds.`,
    hint: say`Try again, or choose a faster model for this task.`,
    retryable: true,
  });
}

function createUnusableError(task: string, { modelId }: ModelReference): ToolyardError {
  return new ToolyardError({
    code: 'bad_response',
    message: say`${modelId} gave no usable answer for the task "${task}".`,
    hint: say`Try again, or choose another model for this task.`,
    retryable: true,
  });
}
