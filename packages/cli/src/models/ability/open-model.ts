import type { ModelRuntime } from '@toolyard/model-runtime';
import { ToolyardError } from '@toolyard/protocol';
import type { CommandIo } from '../../command-io.ts';
import { modelSource, type ModelSource } from '../model-source.ts';
import type { AbilityFlags } from './flags.ts';
import { createRequestError } from '../../errors.ts';

/** A model and its runtime. */
export type OpenedModel = AsyncDisposable & { runtime: ModelRuntime; model: string };

/**
 * Opens the model at the provider of `--provider`, or at the only provider that lists it.
 *
 * @throws ToolyardError if no provider, or more than one, lists it
 */
export async function openModel(io: CommandIo, flags: AbilityFlags): Promise<OpenedModel> {
  const source = await modelSource(io, flags);
  try {
    const providerId = flags.provider ?? (await findProvider(flags.model, source));
    const runtime = await source.open({ providerId, modelId: flags.model });
    return { runtime, model: flags.model, [Symbol.asyncDispose]: () => source[Symbol.asyncDispose]() };
  } catch (thrown) {
    await source[Symbol.asyncDispose]();
    throw thrown;
  }
}

async function findProvider(modelId: string, source: ModelSource): Promise<string> {
  const { models, failures } = await source.models();
  const providers = [...new Set(models.filter((model) => model.modelId === modelId).map((model) => model.providerId))];
  const [first, ...others] = providers;
  if (first !== undefined && others.length === 0) return first;
  const unlisted = failures.map(
    ({ providerLabel, error }) => `${providerLabel} did not list its models: ${error.message}`,
  );
  throw new ToolyardError({
    code: first === undefined ? 'model_not_found' : 'bad_request',
    message:
      first === undefined
        ? [`No provider lists the model "${modelId}".`, ...unlisted].join(' ')
        : `More than one provider lists the model "${modelId}": ${providers.join(', ')}.`,
    hint:
      first === undefined
        ? 'List models with "toolyard models", or pass --provider: not every provider lists all its models.'
        : 'Choose one with --provider.',
  });
}

/** The error for a provider without this capability. */
export function createUnsupportedError({ provider }: ModelRuntime, action: string): ToolyardError {
  return createRequestError(`The provider "${provider}" cannot ${action}.`, 'Choose another provider with --provider.');
}
