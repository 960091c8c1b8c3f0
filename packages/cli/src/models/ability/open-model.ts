import type { ModelRuntime } from '@toolyard/model-runtime';
import { ToolyardError } from '@toolyard/protocol';
import type { CommandIo } from '../../command-io.ts';
import { modelSource, type ModelSource } from '../model-source.ts';
import type { AbilityFlags } from './flags.ts';

/** A model that is about to be asked; closed when the command is over. */
export type OpenedModel = AsyncDisposable & { runtime: ModelRuntime; model: string };

/**
 * The model that is meant: of the provider that was named, else of the one that offers it.
 *
 * @throws ToolyardError where there is none, or more than one offers it
 */
export async function openModel(io: CommandIo, flags: AbilityFlags): Promise<OpenedModel> {
  const source = await modelSource(io, flags);
  try {
    const providerId = flags.provider ?? (await providerOf(flags.model, source));
    const runtime = await source.open({ providerId, modelId: flags.model });
    return { runtime, model: flags.model, [Symbol.asyncDispose]: () => source[Symbol.asyncDispose]() };
  } catch (thrown) {
    await source[Symbol.asyncDispose]();
    throw thrown;
  }
}

async function providerOf(modelId: string, source: ModelSource): Promise<string> {
  const { models, failures } = await source.models();
  const offering = [...new Set(models.filter((model) => model.modelId === modelId).map((model) => model.providerId))];
  const [only, ...others] = offering;
  if (only !== undefined && others.length === 0) return only;
  const missing = failures.map(({ providerLabel, error }) => `${providerLabel} could not be asked: ${error.message}`);
  throw new ToolyardError({
    code: only === undefined ? 'model_not_found' : 'bad_request',
    message:
      only === undefined
        ? [`No provider offers a model "${modelId}".`, ...missing].join(' ')
        : `The model "${modelId}" is offered by ${offering.join(' and ')}.`,
    hint:
      only === undefined
        ? 'Name its provider with --provider: not all list every model. "toolyard models" tells what is offered.'
        : 'Choose one with --provider.',
  });
}

/** What is said where a provider lacks an ability. */
export function cannot({ provider }: ModelRuntime, what: string): ToolyardError {
  return new ToolyardError({
    code: 'bad_request',
    message: `The provider "${provider}" cannot ${what}.`,
    hint: 'Choose a provider that can with --provider.',
  });
}
