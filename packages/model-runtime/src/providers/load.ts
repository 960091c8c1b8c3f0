import type { ProviderRecord, UnsupportedProvider } from './types.ts';

let loading: Promise<readonly ProviderRecord[]> | undefined;

/** Every provider that is known, by name. The records are loaded when they are first asked for. */
export function loadProviders(): Promise<readonly ProviderRecord[]> {
  loading ??= load();
  return loading;
}

async function load(): Promise<readonly ProviderRecord[]> {
  const [{ MAKERS }, { MAKERS_IN_CHINA }, { HOSTS }, { GATEWAYS }, { CLOUDS }, { OWN_SERVERS }] = await Promise.all([
    import('./data/makers.ts'),
    import('./data/makers-in-china.ts'),
    import('./data/hosts.ts'),
    import('./data/gateways.ts'),
    import('./data/clouds.ts'),
    import('./data/own-servers.ts'),
  ]);
  const all = [...MAKERS, ...MAKERS_IN_CHINA, ...HOSTS, ...GATEWAYS, ...CLOUDS, ...OWN_SERVERS];
  return all.sort((a, b) => a.label.localeCompare(b.label, 'en'));
}

/** The providers no wire reaches, each with the reason. */
export async function loadUnsupportedProviders(): Promise<readonly UnsupportedProvider[]> {
  return (await import('./data/unsupported.ts')).UNSUPPORTED_PROVIDERS;
}
