import type {
  ChangeProvider,
  CreateProvider,
  ProviderPresetView,
  ProviderView,
  TestProvider,
  WireName,
} from '@toolyard/protocol';
import { defined } from '@toolyard/protocol';
import { completeAddress } from '../complete-address.ts';
import { itemsIn } from '../ui/items-in.ts';
import { listGaps } from '../servers/editor/gaps.ts';

/** The API format of most providers. */
const DEFAULT_WIRE: WireName = 'openai-chat';

/** `gap`: a placeholder to fill in, such as `{ACCOUNT}`. */
export type FieldProblems = { label?: 'missing'; baseUrl?: 'address' | { gap: string }; apiKey?: { gap: string } };

/** The values of the form. The key contains only what the user typed: a stored key is never sent to the page. */
export function toFields(provider: ProviderView | null) {
  return {
    /** Id of the known provider; empty for another endpoint. */
    known: provider?.known ?? '',
    label: provider?.label ?? '',
    baseUrl: provider?.baseUrl ?? '',
    wire: provider?.wire ?? DEFAULT_WIRE,
    apiKey: '',
    removeKey: false,
    /** One per line. */
    modelNames: (provider?.modelNames ?? []).join('\n'),
  };
}
export type ProviderFields = ReturnType<typeof toFields>;

/** Fills in the preset of a provider; a name entered by the user stays. Undefined if the id is unknown. */
export function filledFrom(
  chosen: ProviderPresetView | undefined,
  before: ProviderPresetView | undefined,
  fields: ProviderFields,
): ProviderFields {
  const isOwnName = fields.label.trim() !== '' && fields.label !== before?.label;
  const isOwnAddress = fields.baseUrl.trim() !== '' && fields.baseUrl !== before?.baseUrl;
  if (chosen === undefined) {
    const wire = fields.wire === before?.wire ? DEFAULT_WIRE : fields.wire;
    const label = isOwnName ? fields.label : '';
    return { ...fields, known: '', label, baseUrl: isOwnAddress ? fields.baseUrl : '', wire };
  }
  const { id, label, baseUrl, wire } = chosen;
  return { ...fields, known: id, label: isOwnName ? fields.label : label, baseUrl, wire };
}

/** @param keepsGap the user wants to save a key that looks like a placeholder: local servers accept any */
export function findProblems(fields: ProviderFields, { keepsGap = false } = {}): FieldProblems {
  const [gap] = listGaps(fields.baseUrl);
  const [keyGap] = keepsGap ? [] : listGaps(fields.apiKey);
  const isAddress = findOrigin(fields.baseUrl) !== null;
  return {
    ...(fields.label.trim() === '' ? { label: 'missing' as const } : {}),
    ...(gap !== undefined ? { baseUrl: { gap } } : isAddress ? {} : { baseUrl: 'address' as const }),
    ...(keyGap === undefined ? {} : { apiKey: { gap: keyGap } }),
  };
}

/** True if the stored key belongs to another host: it is not sent to this one. */
export function needsKeyAgain(provider: ProviderView | null, fields: ProviderFields): boolean {
  if (provider?.hasKey !== true || provider.baseUrl === null || fields.removeKey || fields.apiKey !== '') return false;
  const origin = findOrigin(fields.baseUrl);
  return origin !== null && origin !== findOrigin(provider.baseUrl);
}

export function toCreate(fields: ProviderFields): CreateProvider {
  const modelNames = itemsIn(fields.modelNames, /[\n,]/);
  return {
    label: fields.label.trim(),
    baseUrl: completeAddress(fields.baseUrl),
    wire: fields.wire,
    ...defined({
      known: fields.known || undefined,
      modelNames: modelNames.length === 0 ? undefined : modelNames,
      apiKey: fields.apiKey.trim() || undefined,
    }),
  };
}

export function toChange(fields: ProviderFields): ChangeProvider {
  const { apiKey, known = null, modelNames = [], ...rest } = toCreate(fields);
  const change = { ...rest, known, modelNames };
  if (apiKey !== undefined) return { ...change, apiKey };
  return fields.removeKey ? { ...change, apiKey: null } : change;
}

/** Without an entered key, a test uses the stored one, unless it is to be removed. */
export function toTest(provider: ProviderView | null, fields: ProviderFields): TestProvider {
  const { label: _label, modelNames = [], ...settings } = toCreate(fields);
  const test = { ...settings, modelNames };
  if (test.apiKey !== undefined) return test;
  const usesStored = provider !== null && provider.hasKey && !fields.removeKey && !needsKeyAgain(provider, fields);
  return usesStored ? { ...test, id: provider.id } : test;
}

function findOrigin(address: string): string | null {
  const url = URL.parse(completeAddress(address));
  if (url === null) return null;
  return url.protocol === 'http:' || url.protocol === 'https:' ? url.origin : null;
}
