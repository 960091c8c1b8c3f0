import type { AgentConfiguration, ModelReference, ModelView, PresetTaskName } from '@toolyard/protocol';
import { defaultSettings } from '@toolyard/protocol';
import { isDemo, modelName } from '../models/model-list.ts';
import type { ComboboxOption } from '../ui/combobox.ts';

type TaskModels = NonNullable<AgentConfiguration['presetTasks']>;

const DEFAULTS: TaskModels = defaultSettings('presetTasks');

/** In the order of the form: first what happens in a chat, then the suggestions for an agent. Chats do not use `decide-search`. */
export const SHOWN_TASKS = [
  'title',
  'translate',
  'detect-language',
  'summarize',
  'complete-input',
  'agent-title',
  'agent-description',
  'agent-tags',
  'agent-avatar',
] as const satisfies readonly PresetTaskName[];

/** Values of the choice besides models, whose values contain a slash. */
export const CONVERSATION = 'conversation';
export const OFF = 'off';

/** The choice that applies to a task. */
export function chosenFor(task: PresetTaskName, own: TaskModels | undefined): string {
  const chosen = own?.[task] ?? DEFAULTS[task];
  if (chosen === undefined) return CONVERSATION;
  return chosen === 'off' ? OFF : toValue(chosen);
}

/**
 * The stored models with a choice for one task. A task that is off by default has no way to follow the conversation:
 * its choice is a model.
 */
export function withChoice(own: TaskModels | undefined, task: PresetTaskName, value: string): TaskModels | undefined {
  const { [task]: _, ...others } = own ?? {};
  const slash = value.indexOf('/');
  if (value === OFF) return { ...others, [task]: 'off' };
  if (slash > 0) {
    return { ...others, [task]: { providerId: value.slice(0, slash), modelId: value.slice(slash + 1) } };
  }
  return Object.keys(others).length === 0 ? undefined : others;
}

/** True for a task that is off unless a model is chosen. */
export function isOffByDefault(task: PresetTaskName): boolean {
  return DEFAULTS[task] === 'off';
}

/** All models but the demo, which cannot do these tasks; and the chosen one, if it is unavailable. */
export function modelOptions(models: readonly ModelView[], chosen: string): ComboboxOption[] {
  const options = models
    .filter((model) => !isDemo(model))
    .map((model) => ({ value: toValue(model), label: modelName(model.modelId), group: model.providerLabel }));
  const isKnown = chosen === OFF || chosen === CONVERSATION || options.some(({ value }) => value === chosen);
  return isKnown ? options : [...options, { value: chosen, label: chosen }];
}

/** The id of a provider contains no slash. */
function toValue({ providerId, modelId }: ModelReference): string {
  return `${providerId}/${modelId}`;
}
