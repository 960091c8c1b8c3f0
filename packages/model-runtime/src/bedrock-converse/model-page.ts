import { isJsonObject, type JsonObject, type JsonValue } from '@toolyard/protocol';
import type { Exchange, ModelPage } from '../wire/dialect.ts';

const PROFILES = '/inference-profiles?maxResults=1000&type=SYSTEM_DEFINED';

/**
 * The models that can be called by their id, then the inference profiles, by which most newer models are called. Both
 * lists are of the control plane: see `signedFetch`.
 */
export function modelPage(page: string | undefined): Exchange<ModelPage> {
  if (page === undefined) {
    return { path: '/foundation-models?byOutputModality=TEXT', body: '', read: readFoundationModels };
  }
  const token = page === PROFILES ? '' : `&nextToken=${encodeURIComponent(page)}`;
  return { path: `${PROFILES}${token}`, body: '', read: readProfiles };
}

function readFoundationModels(answer: JsonValue): ModelPage | null {
  const list = listIn(answer, 'modelSummaries');
  if (list === null) return null;
  const models = list.flatMap((model) => {
    const { modelId: id, providerName: owner, inferenceTypesSupported: types } = model;
    if (typeof id !== 'string' || model['responseStreamingSupported'] === false) return [];
    if (Array.isArray(types) && !types.includes('ON_DEMAND')) return [];
    return [{ id, ...(typeof owner === 'string' ? { ownedBy: owner } : {}) }];
  });
  return { models, next: PROFILES };
}

function readProfiles(answer: JsonValue): ModelPage | null {
  const list = listIn(answer, 'inferenceProfileSummaries');
  if (list === null) return null;
  const next = isJsonObject(answer) ? answer['nextToken'] : null;
  const models = list.flatMap(({ inferenceProfileId: id, status }) =>
    typeof id === 'string' && (status === undefined || status === 'ACTIVE') ? [{ id }] : [],
  );
  return { models, ...(typeof next === 'string' && next !== '' ? { next } : {}) };
}

function listIn(answer: JsonValue, field: string): JsonObject[] | null {
  const list = isJsonObject(answer) ? answer[field] : null;
  return Array.isArray(list) ? list.filter(isJsonObject) : null;
}
