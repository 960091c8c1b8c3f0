import { describe, expect, it } from 'vitest';
import type { Fetch } from '@toolyard/protocol';
import { systemClock } from '@toolyard/protocol';
import { chooseModel } from './choose-model.ts';

/** A machine on which these addresses list these models, and nothing else answers. */
function machine(servers: Record<string, string[]>, env: NodeJS.ProcessEnv = {}): Parameters<typeof chooseModel>[1] {
  const fetch: Fetch = (input) => {
    const url = new URL(input);
    const models = servers[url.host];
    if (!models || !url.pathname.endsWith('/models')) return Promise.reject(new TypeError('fetch failed'));
    const data = models.map((id) => ({ id, object: 'model' }));
    return Promise.resolve(Response.json({ object: 'list', data }));
  };
  return { env, fetch, clock: systemClock };
}

describe('chooseModel', () => {
  it('takes a local server that is found, its first model, and says which', async () => {
    const { model, told } = await chooseModel({}, machine({ '127.0.0.1:11434': ['qwen3', 'llama4'] }));
    expect(model).toMatchObject({ id: 'qwen3', baseUrl: expect.stringContaining('127.0.0.1:11434') });
    expect(told).toMatch(/qwen3 of Ollama .*found/);
  });

  it('finds the server that has the model asked for', async () => {
    const here = machine({ '127.0.0.1:11434': ['qwen3'], '127.0.0.1:8080': ['gemma'] });
    expect((await chooseModel({ model: 'gemma' }, here)).model).toMatchObject({
      id: 'gemma',
      baseUrl: expect.stringContaining(':8080'),
    });
  });

  it('names what is found when the model asked for is not among it', async () => {
    const here = machine({ '127.0.0.1:11434': ['qwen3'] });
    await expect(chooseModel({ model: 'gpt-9' }, here)).rejects.toMatchObject({
      code: 'model_not_found',
      hint: expect.stringContaining('qwen3'),
    });
  });

  it('takes the demo where nothing is found, and says that it is no model', async () => {
    const { model, told } = await chooseModel({}, machine({}));
    expect(model).toEqual({ demo: true, id: 'demo' });
    expect(told).toContain('no language model');
  });

  it('puts flags before environment, and environment before what is found', async () => {
    const servers = { 'flag.test': ['f'], 'env.test': ['e'], '127.0.0.1:11434': ['found'] };
    const here = machine(servers, { OPENAI_BASE_URL: 'http://env.test/v1', OPENAI_API_KEY: 'k' });
    expect((await chooseModel({ baseUrl: 'http://flag.test/v1' }, here)).model).toMatchObject({ id: 'f', apiKey: 'k' });
    expect((await chooseModel({}, here)).model).toMatchObject({ id: 'e', apiKey: 'k' });
  });

  it('does not guess among the many models of a hosted provider', async () => {
    const here = machine({ 'api.example.com': ['a', 'b', 'c'] });
    await expect(chooseModel({ baseUrl: 'https://api.example.com/v1' }, here)).rejects.toMatchObject({
      hint: expect.stringContaining('--model: a, b, c'),
    });
  });

  it('asks nothing where address and model are given', async () => {
    const { model } = await chooseModel({ baseUrl: 'http://nobody.test', model: 'm' }, machine({}));
    expect(model).toEqual({ baseUrl: 'http://nobody.test', id: 'm' });
  });

  it('takes an empty variable for none', async () => {
    const { model } = await chooseModel({}, machine({}, { OPENAI_API_KEY: ' ', OPENAI_BASE_URL: '' }));
    expect(model).toMatchObject({ demo: true });
  });
});
