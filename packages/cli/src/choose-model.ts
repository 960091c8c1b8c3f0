import type { ModelChoice } from '@toolyard/agent-host';
import type { ModelInfo } from '@toolyard/model-runtime';
import { createOpenAiChatRuntime, findLocalServers } from '@toolyard/model-runtime';
import type { Clock, Fetch } from '@toolyard/protocol';
import { ToolyardError } from '@toolyard/protocol';
import type { ConnectionFlags } from './flags.ts';

export type Surroundings = { env: NodeJS.ProcessEnv; fetch: Fetch; clock: Clock };

/** The model a command works with, and a line that says how it was found. */
export type ChosenModel = { model: ModelChoice; told: string };

const OPENAI = 'https://api.openai.com/v1';
const DEMO = /^demo(-text)?$/;

/**
 * Flags over environment over a local server that is found over the demo.
 *
 * @throws ToolyardError where a model was asked for that is not there
 */
export async function chooseModel(
  flags: Pick<ConnectionFlags, 'baseUrl' | 'apiKey' | 'model'>,
  { env, fetch, clock }: Surroundings,
): Promise<ChosenModel> {
  const baseUrl = flags.baseUrl ?? nonEmpty(env['OPENAI_BASE_URL']);
  const apiKey = flags.apiKey ?? nonEmpty(env['OPENAI_API_KEY']);
  const wanted = flags.model;

  if (wanted !== undefined && DEMO.test(wanted) && flags.baseUrl === undefined) {
    return demo(wanted === 'demo-text' ? 'demo-text' : 'demo', 'the built-in demo (no language model)');
  }
  if (baseUrl !== undefined || apiKey !== undefined) {
    return configured({ baseUrl: baseUrl ?? OPENAI, apiKey, wanted, fetch, clock });
  }
  const found = await findLocalServers({ fetch, clock });
  for (const server of found) {
    const id = wanted ?? server.models[0]?.id;
    if (id !== undefined && (wanted === undefined || server.models.some((model) => model.id === wanted))) {
      return { model: { baseUrl: server.baseUrl, id }, told: `${id} of ${server.label} at ${server.baseUrl} (found)` };
    }
  }
  if (wanted !== undefined)
    throw notFound(
      wanted,
      found.flatMap((server) => server.models),
      'on this machine',
    );
  return demo('demo', 'the built-in demo, which is no language model: none is configured (--base-url) or found here');
}

async function configured(of: {
  baseUrl: string;
  apiKey: string | undefined;
  wanted: string | undefined;
  fetch: Fetch;
  clock: Clock;
}): Promise<ChosenModel> {
  const { baseUrl, apiKey, wanted, fetch, clock } = of;
  if (!/^https?:\/\//i.test(baseUrl) || !URL.canParse(baseUrl)) {
    throw new ToolyardError({
      code: 'bad_config',
      message: `${baseUrl} is not the address of a model server.`,
      hint: 'It looks like http://127.0.0.1:8080 or https://api.example.com/v1.',
    });
  }
  const key = apiKey === undefined ? {} : { apiKey };
  if (wanted !== undefined) return { model: { baseUrl, id: wanted, ...key }, told: `${wanted} at ${baseUrl}` };

  const models = await createOpenAiChatRuntime({ baseUrl, fetch, clock, ...key }).models();
  const [only, ...others] = models;
  if (!only) {
    throw new ToolyardError({
      code: 'model_not_found',
      message: `${baseUrl} offers no model.`,
      hint: 'Load one there, or name one with --model.',
    });
  }
  if (others.length > 0 && !isLoopback(baseUrl)) {
    throw new ToolyardError({
      code: 'bad_config',
      message: `${baseUrl} offers ${models.length} models.`,
      hint: `Choose one with --model: ${someOf(models)}`,
    });
  }
  return { model: { baseUrl, id: only.id, ...key }, told: `${only.id} at ${baseUrl}` };
}

function demo(id: 'demo' | 'demo-text', told: string): ChosenModel {
  return { model: { demo: true, id }, told };
}

/** The error for a model that is not offered, naming those that are. */
export function notFound(wanted: string, offered: readonly ModelInfo[], where: string): ToolyardError {
  return new ToolyardError({
    code: 'model_not_found',
    message: `There is no model "${wanted}" ${where}.`,
    hint:
      offered.length > 0
        ? `On offer: ${someOf(offered)}`
        : 'No local model server was found; give one with --base-url, or use --model demo.',
  });
}

function someOf(models: readonly ModelInfo[]): string {
  const names = models.slice(0, 12).map((model) => model.id);
  return names.join(', ') + (models.length > names.length ? `, and ${models.length - names.length} more` : '');
}

function isLoopback(address: string): boolean {
  const { hostname } = new URL(address);
  return hostname === 'localhost' || hostname === '[::1]' || /^127\./.test(hostname);
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === undefined || text.trim() === '' ? undefined : text.trim();
}
