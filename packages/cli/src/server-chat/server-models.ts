import type { ModelReference, ModelsView, ModelView } from '@toolyard/protocol';
import { defined, ToolyardError } from '@toolyard/protocol';
import { providerNotFound } from '../choose-model.ts';

/** The model a person means: its own name, or with the provider before it where two have one of that name. */
export function findModel(wanted: string, { models, failures }: ModelsView, url: string): ModelReference {
  const meant = models.filter((model) => model.modelId === wanted || fullName(model) === wanted);
  const [only, ...others] = meant;
  if (only && others.length === 0) return { providerId: only.providerId, modelId: only.modelId };
  if (only) {
    throw new ToolyardError({
      code: 'bad_config',
      message: `There are ${meant.length} models "${wanted}" at ${url}.`,
      hint: `Say which: ${meant.map(fullName).join(', ')}`,
    });
  }
  const [failure] = failures;
  if (!failure) throw noModel(wanted, models, url);
  throw new ToolyardError({
    code: 'model_not_found',
    message: `There is no model "${wanted}" at ${url}, and ${failure.providerLabel} could not be asked: ${failure.error.message}`,
    ...defined({ hint: failure.error.hint }),
  });
}

/** The error for a model a server does not have, naming those it has. */
export function noModel(wanted: string, models: readonly ModelView[], url: string): ToolyardError {
  const names = models.map((model) => ({ id: shortName(model, models) }));
  return providerNotFound(wanted, names, `at ${url}`);
}

/** As short as it may be without meaning another one, too. */
export function shortName(model: ModelReference, all: readonly ModelView[]): string {
  const namesakes = all.filter(({ modelId }) => modelId === model.modelId);
  return namesakes.length > 1 ? fullName(model) : model.modelId;
}

function fullName({ providerId, modelId }: ModelReference): string {
  return `${providerId}/${modelId}`;
}
