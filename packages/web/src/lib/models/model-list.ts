import { showHidden } from '@toolyard/protocol';
import type { JsonValue, ModelReference, ModelsView, ModelView } from '@toolyard/protocol';

const DEMO = 'demo';

/** The models of one provider, as shown in the picker; `null` are the favourites of any provider. */
export type ModelGroup = { providerId: string | null; label: string; models: ModelView[] };

/**
 * Models that match every word of the query: favourites first, then the others by provider in the server's order; the
 * demo last.
 */
export function groupModels(
  view: Pick<ModelsView, 'models'>,
  query: string,
  isFavourite: (model: ModelReference) => boolean = () => false,
): ModelGroup[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const found = view.models.filter(({ providerLabel, modelId }) => {
    const text = `${providerLabel} ${modelId}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  const favourites = found.filter(isFavourite);
  const others = found.filter((model) => !isFavourite(model));
  const providers = new Map(others.map(({ providerId, providerLabel }) => [providerId, providerLabel]));
  const groups = Array.from(providers, ([providerId, label]) => ({
    providerId,
    label,
    models: others.filter((model) => model.providerId === providerId),
  }));
  return [
    ...(favourites.length === 0 ? [] : [{ providerId: null, label: '', models: favourites }]),
    ...groups.toSorted((a, b) => Number(isDemo(a)) - Number(isDemo(b))),
  ];
}

/** A short display name: of a file path only the file name. */
export function modelName(id: string): string {
  const modelId = showHidden(id);
  if (!/^(\/|[A-Za-z]:[\\/])|\.gguf$/i.test(modelId)) return modelId;
  return (modelId.split(/[\\/]/).at(-1) ?? modelId).replace(/\.gguf$/i, '') || modelId;
}

export function sameModel(a: ModelReference | null | undefined, b: ModelReference | null | undefined): boolean {
  return a != null && b != null && a.providerId === b.providerId && a.modelId === b.modelId;
}

/** True if only the built-in demo is available, and no server is loading another model. */
export function hasOnlyDemo(view: ModelsView): boolean {
  return view.models.every((model) => isDemo(model)) && loadingFailure(view, view.defaultModel) === undefined;
}

/** The state of a server that has not loaded this model yet; requests wait for it. */
export function loadingFailure(
  { models, failures }: ModelsView,
  model: ModelReference | null,
): ModelsView['failures'][number] | undefined {
  if (model === null || models.some((one) => sameModel(one, model))) return undefined;
  return failures.find(({ providerId, error }) => providerId === model.providerId && error.code === 'overloaded');
}

export function isDemo(model: { providerId: string | null }): boolean {
  return model.providerId === DEMO;
}

/** The same by the id of a model, for answers, which have no provider. */
export function isDemoModel(modelId: string): boolean {
  return modelId === DEMO || modelId === 'demo-text';
}

/** The favourites with the model added or removed. */
export function withToggled(
  favourites: readonly ModelReference[],
  { providerId, modelId }: ModelReference,
): ModelReference[] {
  const others = favourites.filter((one) => !sameModel(one, { providerId, modelId }));
  return others.length < favourites.length ? others : [...others, { providerId, modelId }];
}

/** Stored favourites, written by any version of the page. */
export function readFavourites(kept: JsonValue | undefined): ModelReference[] {
  if (!Array.isArray(kept)) return [];
  return kept.flatMap((one) => {
    if (typeof one !== 'object' || one === null || Array.isArray(one)) return [];
    const { providerId, modelId } = one;
    return typeof providerId === 'string' && typeof modelId === 'string' ? [{ providerId, modelId }] : [];
  });
}

/** `128k` for a context window of 131072 tokens (a multiple of 1024) and for one of 128000. */
export function formatWindow(tokens: number): string {
  if (tokens < 1000) return String(tokens);
  if (tokens >= 1_000_000) return `${Math.round(tokens / 100_000) / 10}M`;
  return `${Math.round(tokens % 1000 !== 0 && tokens % 1024 === 0 ? tokens / 1024 : tokens / 1000)}k`;
}
