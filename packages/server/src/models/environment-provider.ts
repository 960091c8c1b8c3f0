import { checkBaseUrl } from '../config/base-url.ts';
import type { ProviderRecord } from './provider-record.ts';
import { providerIdFrom } from './provider-record.ts';

const OPENAI = 'https://api.openai.com/v1';

/**
 * The provider of OPENAI_BASE_URL and OPENAI_API_KEY: `openai` itself, or one named after its host.
 *
 * @throws ToolyardError `bad_config` for an address that is none
 */
export function environmentProviders(env: Readonly<Record<string, string | undefined>>): ProviderRecord[] {
  const given = nonEmpty(env['OPENAI_BASE_URL']);
  const apiKey = nonEmpty(env['OPENAI_API_KEY']);
  if (given === undefined && apiKey === undefined) return [];
  const baseUrl = checkBaseUrl(given ?? OPENAI, { code: 'bad_config', where: 'OPENAI_BASE_URL: ' });
  const { host } = new URL(baseUrl);
  const isOpenAi = host === new URL(OPENAI).host;
  const id = isOpenAi ? 'openai' : providerIdFrom(host, new Set(['demo']));
  const label = isOpenAi ? 'OpenAI' : host;
  return [{ id, label, origin: 'environment', baseUrl, ...(apiKey === undefined ? {} : { apiKey }) }];
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === undefined || text.trim() === '' ? undefined : text.trim();
}
