import type { ModelReference, ModelsView, ModelView } from '@toolyard/protocol';
import { defined, ToolyardError } from '@toolyard/protocol';
import { createModelNotFoundError } from '../choose-model.ts';
import { createConfigError } from '../errors.ts';

/** Finds a model by its ID, or by `provider/model` if several providers have a model with this ID. */
export function findModel(name: string, { models, failures }: ModelsView, url: string): ModelReference {
  const matches = models.filter((model) => model.modelId === name || fullName(model) === name);
  const [first, ...others] = matches;
  if (first && others.length === 0) return { providerId: first.providerId, modelId: first.modelId };
  if (first) {
    throw createConfigError(
      `${matches.length} models at ${url} are named "${name}".`,
      `Use one of: ${matches.map(fullName).join(', ')}`,
    );
  }
  const [failure] = failures;
  if (!failure) throw createUnofferedModelError(name, models, url);
  throw new ToolyardError({
    code: 'model_not_found',
    message: `Model "${name}" not found at ${url}; ${failure.providerLabel} did not list its models: ${failure.error.message}`,
    ...defined({ hint: failure.error.hint }),
  });
}

/** The error for a model that a server does not have; its hint lists the available ones. */
export function createUnofferedModelError(name: string, models: readonly ModelView[], url: string): ToolyardError {
  const names = models.map((model) => ({ id: shortName(model, models) }));
  return createModelNotFoundError(name, names, `at ${url}`);
}

/** The model ID, or `provider/model` if it is ambiguous. */
export function shortName(model: ModelReference, all: readonly ModelView[]): string {
  const sameId = all.filter(({ modelId }) => modelId === model.modelId);
  return sameId.length > 1 ? fullName(model) : model.modelId;
}

function fullName({ providerId, modelId }: ModelReference): string {
  return `${providerId}/${modelId}`;
}
