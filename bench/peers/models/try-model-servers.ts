import { randomUUID } from 'node:crypto';
import { globSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { say } from '../../support/command.ts';
import { makeDataFolder, startServer } from '../../support/server.ts';
import { cachedFolder } from '../folders.ts';
import type { Python } from '../python.ts';
import type { ModelRow } from '../results.ts';
import type { Check } from './checks.ts';
import { CONTEXT, GATEWAY_CHECKS, LLAMA_CHECKS, LLAMA_PORT, MODEL } from './checks.ts';
import { isFree, startChildServer } from './child-server.ts';
import type { Toolyard } from './toolyard.ts';
import { openToolyard } from './toolyard.ts';

const LLAMA_NAME = 'llama.cpp (xllamacpp 2026.10.11549)';
const GATEWAY_NAME = 'LiteLLM 1.106.2';
const GATEWAY_PORT = 4_000;

/** llama.cpp with a small model, and LiteLLM in front of it. */
export async function tryModelServers(python: Python | string): Promise<ModelRow[]> {
  const isUsed = await usedPort();
  const missing = typeof python === 'string' ? python : isUsed;
  if (missing !== null || typeof python === 'string') {
    return [...LLAMA_CHECKS.map((check) => notRun(LLAMA_NAME, check, missing ?? ''))];
  }
  const programs = await python.install('llama');
  await using ends = new AsyncDisposableStack();
  const llama = await startLlama(programs);
  ends.defer(() => llama.end());
  const dataFolder = ends.use(makeDataFolder());
  const server = ends.use(await startServer({ dataFolder: dataFolder.path, providers: {}, profile: null }));
  const toolyard = openToolyard(server.url);
  const rows = await inTurn(LLAMA_NAME, LLAMA_CHECKS, toolyard);
  const key = `sk-${randomUUID()}`;
  const gateway = await startGateway(await python.install('litellm'), key);
  ends.defer(() => gateway.end());
  const baseUrl = `http://127.0.0.1:${GATEWAY_PORT}/v1`;
  await toolyard.addProvider({ id: 'litellm', label: 'LiteLLM', baseUrl, apiKey: key });
  return [...rows, ...(await inTurn(GATEWAY_NAME, GATEWAY_CHECKS, toolyard))];
}

async function usedPort(): Promise<string | null> {
  for (const port of [LLAMA_PORT, GATEWAY_PORT]) {
    if (!(await isFree(port))) return `port ${port} is used by another program`;
  }
  return null;
}

function startLlama(programs: string) {
  const [model = ''] = globSync(join(dirname(programs), 'lib/**/SmolLM2-135M*.gguf'));
  const script = fileURLToPath(new URL('./llama_server.py', import.meta.url));
  const args = [script, model, String(LLAMA_PORT), String(CONTEXT), MODEL];
  return startChildServer(join(programs, 'python'), args, { url: `http://127.0.0.1:${LLAMA_PORT}/health` });
}

function startGateway(programs: string, key: string) {
  const config = join(cachedFolder('entries'), 'litellm.json');
  const parameters = { model: `openai/${MODEL}`, api_base: `http://127.0.0.1:${LLAMA_PORT}/v1`, api_key: 'none' };
  // YAML includes JSON.
  const models = [{ model_name: 'smollm2', litellm_params: parameters }];
  writeFileSync(config, JSON.stringify({ model_list: models, general_settings: { master_key: key } }), { mode: 0o600 });
  const args = ['--config', config, '--host', '127.0.0.1', '--port', String(GATEWAY_PORT), '--telemetry', 'False'];
  return startChildServer(join(programs, 'litellm'), args, {
    url: `http://127.0.0.1:${GATEWAY_PORT}/health/liveliness`,
    // Otherwise it downloads prices.
    env: { LITELLM_LOCAL_MODEL_COST_MAP: 'True' },
  });
}

async function inTurn(server: string, checks: readonly Check[], toolyard: Toolyard): Promise<ModelRow[]> {
  const rows: ModelRow[] = [];
  for (const check of checks) {
    say(`${server}: ${check.name} ...`);
    const row = await check.run(toolyard).then(
      (detail) => ({ ...notRun(server, check, detail), passed: true }),
      (error: unknown) => notRun(server, check, error instanceof Error ? error.message : String(error)),
    );
    say(`    ${row.passed ? 'passed' : 'failed'}: ${row.detail}`);
    rows.push(row);
  }
  return rows;
}

function notRun(server: string, { name }: Check, detail: string): ModelRow {
  return { server, check: name, date: new Date().toISOString().slice(0, 10), passed: false, detail };
}
