import { defined } from '@toolyard/protocol';
import { fillAddress } from './address.ts';
import { loadProviders } from './load.ts';
import type { ProviderRecord } from './types.ts';

/** A known provider whose usual environment variables are set. */
export type ProviderInEnvironment = {
  known: ProviderRecord;
  /** The default base URL or its override from the environment; not validated. */
  baseUrl: string;
  /** True if `baseUrl` is overridden to another host or path. */
  isElsewhere: boolean;
  apiKey?: string;
  /** The variables that were used. */
  variables: readonly string[];
};

/**
 * The providers whose usual variables are set, OpenAI first. Self-hosted servers are not included: a key does not mean
 * that they run.
 *
 * @example
 * for (const { known, baseUrl } of await providersInEnvironment(process.env)) console.log(known.id, baseUrl);
 */
export async function providersInEnvironment(
  env: Readonly<Record<string, string | undefined>>,
): Promise<ProviderInEnvironment[]> {
  const hosted = (await loadProviders()).filter(({ place }) => place === 'hosted');
  const [first, rest] = [hosted.filter(({ id }) => id === 'openai'), hosted.filter(({ id }) => id !== 'openai')];
  return [...first, ...rest].map((known) => fromEnvironment(env, known)).filter((found) => found !== null);
}

function fromEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  known: ProviderRecord,
): ProviderInEnvironment | null {
  const { baseUrlVariable } = known;
  const keyVariable = known.keyVariables.find((name) => findValue(env, name) !== undefined);
  const override = baseUrlVariable === undefined ? undefined : findValue(env, baseUrlVariable);
  if (keyVariable === undefined && override === undefined) return null;
  const home = fillAddress(known.baseUrl, env);
  const baseUrl = override ?? home;
  if (baseUrl === null) return null;
  const apiKey = keyVariable === undefined ? undefined : findValue(env, keyVariable);
  return {
    known,
    baseUrl,
    isElsewhere: home === null || getHost(baseUrl) !== getHost(home),
    ...defined({ apiKey }),
    variables: [override === undefined ? undefined : baseUrlVariable, keyVariable].filter((name) => name !== undefined),
  };
}

function findValue(env: Readonly<Record<string, string | undefined>>, name: string): string | undefined {
  const text = env[name]?.trim() ?? '';
  return text === '' ? undefined : text;
}

function getHost(address: string): string {
  return URL.canParse(address) ? new URL(address).host : address;
}
