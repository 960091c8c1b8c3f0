import type { ModelReference, ModelsView, ModelView } from '@toolyard/protocol';

/** The models of one provider, as the picker shows them. */
export type ModelGroup = { providerId: string; label: string; models: ModelView[] };

/** Models that fit every word of the query, by provider, in the order the server gave; the demo stands last. */
export function groupModels(view: Pick<ModelsView, 'models'>, query: string): ModelGroup[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const groups = new Map<string, ModelGroup>();
  for (const model of view.models) {
    const text = `${model.providerLabel} ${model.modelId}`.toLowerCase();
    if (!words.every((word) => text.includes(word))) continue;
    const group = groups.get(model.providerId);
    if (group === undefined) {
      groups.set(model.providerId, { providerId: model.providerId, label: model.providerLabel, models: [model] });
    } else group.models.push(model);
  }
  const all = [...groups.values()];
  return [...all.filter((group) => !isDemo(group)), ...all.filter((group) => isDemo(group))];
}

/** A name short enough to read: of a file on a disk only the file's name. */
export function modelName(modelId: string): string {
  if (!/^(\/|[A-Za-z]:[\\/])|\.gguf$/i.test(modelId)) return modelId;
  return (modelId.split(/[\\/]/).at(-1) ?? modelId).replace(/\.gguf$/i, '') || modelId;
}

export function sameModel(a: ModelReference | null | undefined, b: ModelReference | null | undefined): boolean {
  return a != null && b != null && a.providerId === b.providerId && a.modelId === b.modelId;
}

/** True where nothing but the built-in demo can answer. */
export function onlyDemo(view: ModelsView): boolean {
  return view.models.every((model) => isDemo(model));
}

export function isDemo(model: Pick<ModelReference, 'providerId'>): boolean {
  return model.providerId === 'demo';
}

/** `128k` of a context window of 131072 tokens. */
export function formatWindow(tokens: number): string {
  if (tokens < 1000) return String(tokens);
  if (tokens >= 1_000_000) return `${Math.round(tokens / 100_000) / 10}M`;
  return `${Math.round(tokens % 1024 === 0 ? tokens / 1024 : tokens / 1000)}k`;
}
