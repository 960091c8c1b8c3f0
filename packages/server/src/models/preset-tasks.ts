import type { PresetPrompt } from '@toolyard/agent-runtime';
import { ASSUMED_WINDOW, presetPrompt } from '@toolyard/agent-runtime';
import type { GeneratedObject, StreamPart } from '@toolyard/model-runtime';
import type {
  AgentConfiguration,
  ErrorInfo,
  IdSource,
  JsonValue,
  Message,
  ModelReference,
  Owner,
  PresetTaskCall,
  PresetTaskResult,
} from '@toolyard/protocol';
import { defined, textOf, toErrorInfo, ToolyardError } from '@toolyard/protocol';
import type { SharedStorage } from '@toolyard/storage';
import { readStoredConfiguration } from '../config/agent-configuration.ts';
import type { Configurations, Models } from '../services.ts';
import type { ApiChatCall } from '../telemetry/call-spans.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
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
};

export type PresetTasksOptions = {
  calls: Pick<ModelCalls, 'chat' | 'generateObject'>;
  storage: Pick<SharedStorage, 'conversations' | 'messages'>;
  configurations: Pick<Configurations, 'resolve'>;
  models: Pick<Models, 'facts' | 'price'>;
  ids: IdSource;
  telemetry?: Pick<Telemetry, 'watch'>;
};

type Answer = JsonValue | undefined;
type Turn = { principal: Owner; call: PresetTaskCall; model: ModelReference; prompt: PresetPrompt<PresetTaskValue> };
type PresetTaskValue = PresetTaskResult['value'];

export function createPresetTasks(options: PresetTasksOptions): PresetTasks {
  const { calls, storage, configurations, models, ids, telemetry } = options;

  async function prepare(principal: Owner, call: PresetTaskCall): Promise<Turn> {
    const { agentId, configuration, messages } = await contextOf(principal, call.conversationId);
    const resolved = await configurations.resolve(principal, { agentId, ...defined({ conversation: configuration }) });
    const model = modelFor(call, resolved.presetTasks, resolved.model);
    const { contextWindow = ASSUMED_WINDOW } =
      call.task === 'summarize' ? await models.facts(principal, model, { ask: true }) : {};
    const prompt = presetPrompt(call, { messages, window: contextWindow });
    const input = prompt.messages.at(-1);
    if (input === undefined || textOf(input).trim() === '') throw nothingToRead(call.task);
    return { principal, call, model, prompt };
  }

  async function contextOf(
    principal: Owner,
    conversationId: string | undefined,
  ): Promise<{ agentId: string | null; configuration?: AgentConfiguration; messages: Message[] }> {
    if (conversationId === undefined) return { agentId: null, messages: [] };
    const conversation = await storage.conversations.get(principal, conversationId);
    if (conversation === null) {
      throw new ToolyardError({ code: 'not_found', message: `There is no conversation ${conversationId}.` });
    }
    return {
      agentId: conversation.agentId,
      configuration: readStoredConfiguration(conversation.configuration),
      messages: await storage.messages.branch(principal, conversationId),
    };
  }

  /** Asks once; text is passed on while it arrives. The returned answer is undefined if the model gave none. */
  async function* ask(turn: Turn, messages: readonly Message[], signal: AbortSignal): AsyncGenerator<string, Answer> {
    const { principal, model, prompt, call } = turn;
    const { providerId, modelId } = model;
    const { form, parameters } = prompt;
    // Before the request: nothing would handle its failure meanwhile.
    const price = await models.price(principal, model);
    let parts: AsyncIterable<readonly StreamPart[]>;
    let answer: Answer;
    if (form === undefined) {
      const request = { model: modelId, messages: [...messages], tools: [], parameters } as const;
      parts = (await calls.chat(principal, providerId, { ...request, toolChoice: 'none', toolMode: 'native' }))(signal);
    } else {
      const request = { model: modelId, messages: [...messages], ...form, parameters };
      const made = calls.generateObject(principal, providerId, request, signal);
      parts = partsOf(made, (object) => (answer = object));
    }
    const traced: ApiChatCall = {
      id: ids.next(),
      providerId,
      task: call.task,
      request: { model: modelId, parameters },
      ...defined({ price, traceId: call.traceId }),
    };
    let text = '';
    for await (const batch of telemetry?.watch(traced, parts) ?? parts) {
      for (const part of batch) {
        if (part.type === 'error') throw new ToolyardError(part.error);
        if (part.type === 'finish' && part.reason === 'length') throw cutOff();
        if (part.type !== 'text') continue;
        text += part.text;
        yield part.text;
      }
    }
    return form === undefined ? text : answer;
  }

  async function* answered(turn: Turn, signal: AbortSignal): AsyncGenerator<PresetTaskEvent> {
    const { call, prompt } = turn;
    const { task } = call;
    let messages = prompt.messages;
    try {
      for (const isLast of [false, true]) {
        const answer = yield* asEvents(ask(turn, messages, signal));
        if (signal.aborted) return;
        const value = answer === undefined ? undefined : prompt.read(answer);
        if (value !== undefined) {
          // Each prompt reads the type of value of its task.
          yield { event: 'result', data: { task, value } as PresetTaskResult };
          return;
        }
        if (isLast) throw unusable(task, turn.model);
        messages = withRepair(prompt.messages, answer);
      }
    } catch (thrown) {
      if (!signal.aborted) yield { event: 'error', data: toErrorInfo(thrown) };
    }
  }

  return {
    async run(principal, call) {
      const turn = await prepare(principal, call);
      return (signal) => answered(turn, signal);
    },
  };
}

function modelFor(
  { task }: PresetTaskCall,
  own: AgentConfiguration['presetTasks'],
  ofConversation: ModelReference | null,
): ModelReference {
  const chosen = own?.[task] ?? ofConversation;
  if (chosen === 'off') {
    throw new ToolyardError({
      code: 'bad_request',
      message: `The task "${task}" is off.`,
      hint: 'Choose a model for it in the settings.',
    });
  }
  if (chosen !== null) return chosen;
  throw new ToolyardError({
    code: 'model_not_found',
    message: 'No model is configured.',
    hint: 'Choose a model, or add a provider in the settings.',
  });
}

async function* asEvents(texts: AsyncGenerator<string, Answer>): AsyncGenerator<PresetTaskEvent, Answer> {
  for (;;) {
    const next = await texts.next();
    if (next.done === true) return next.value;
    yield { event: 'text', data: next.value };
  }
}

/** A generated object as the parts of an answer, so that it is traced like one. */
async function* partsOf(
  made: Promise<GeneratedObject>,
  take: (object: JsonValue) => void,
): AsyncGenerator<readonly StreamPart[]> {
  const { object, usage } = await made;
  take(object);
  yield [...(usage === undefined ? [] : [{ type: 'usage', usage } as const]), { type: 'finish', reason: 'stop' }];
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

function nothingToRead(task: string): ToolyardError {
  return new ToolyardError({
    code: 'bad_request',
    message: `There is no text for the task "${task}".`,
    hint: 'Write something first.',
  });
}

function cutOff(): ToolyardError {
  return new ToolyardError({
    code: 'bad_response',
    message: 'The answer was cut off at the output limit of the model.',
    hint: 'Choose a model with a larger output limit for this task, or shorten the text.',
  });
}

function unusable(task: string, { modelId }: ModelReference): ToolyardError {
  return new ToolyardError({
    code: 'bad_response',
    message: `${modelId} gave no usable answer for the task "${task}".`,
    hint: 'Try again, or choose another model for this task.',
    retryable: true,
  });
}
