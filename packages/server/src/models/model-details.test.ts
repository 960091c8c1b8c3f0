import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '@toolyard/protocol';
import { reply } from '@toolyard/testing';
import { describe, expect, it } from 'vitest';
import { readConfigFile } from '../config/config-file.ts';
import { ModelDetailsStore } from './model-details.ts';
import { OWNER as me, useModelsScene } from './test-fixtures/models-scene.ts';

const OPENAI = { id: 'openai', baseUrl: 'https://api.openai.com/v1' };
const { scene } = useModelsScene();

function configFile(content: object): ReturnType<typeof readConfigFile> {
  const path = join(scene.folder, 'config.json');
  writeFileSync(path, JSON.stringify(content, null, 1));
  return readConfigFile(path, {});
}

describe('facts about a model', () => {
  it('come from the price list for hosted ones, unless the provider reports others', async () => {
    const getDetails = await new ModelDetailsStore({}, systemClock).of(OPENAI);
    const listed = getDetails({ id: 'gpt-4o' });
    expect(listed.price?.inputPerMillion).toBeGreaterThan(0);
    expect(listed.contextWindow).toBeGreaterThan(0);
    expect(getDetails({ id: 'gpt-4o', contextWindow: 999 })).toEqual({ ...listed, contextWindow: 999 });
    expect(getDetails({ id: 'nobody-knows' })).toEqual({});
  });

  it('are overridden by the operator, and a price of null means none', async () => {
    const { models } = configFile({
      models: {
        'openai/gpt-4o': { price: { inputPerMillion: 1, outputPerMillion: 2 }, contextWindow: 1000 },
        'openai/gpt-4o-mini': { price: null },
      },
    });
    const getDetails = await new ModelDetailsStore(models, systemClock).of(OPENAI);
    expect(getDetails({ id: 'gpt-4o', contextWindow: 5 })).toEqual({
      price: { inputPerMillion: 1, outputPerMillion: 2 },
      contextWindow: 1000,
    });
    expect(getDetails({ id: 'gpt-4o-mini' }).price).toBeUndefined();
    expect(getDetails({ id: 'gpt-4o-mini' }).contextWindow).toBeGreaterThan(0);
  });

  it("are in the list of models, and in the run's model", async () => {
    const server = await scene.server(() => reply.text('hi'), {
      models: reply.json({ data: [{ id: 'm' }, { id: 'n' }] }),
    });
    const { models } = configFile({
      models: { 'home/m': { price: { inputPerMillion: 1, outputPerMillion: 2 }, contextWindow: 4096 } },
    });
    const all = await scene.models({ statedModels: models });
    await all.create(me, { id: 'home', label: 'Home', baseUrl: server.url });
    const [first, second] = (await all.list(me)).models;
    expect(first).toMatchObject({ modelId: 'm', contextWindow: 4096, price: { outputPerMillion: 2 } });
    expect(second).toEqual({ providerId: 'home', providerLabel: 'Home', modelId: 'n' });
    expect(await all.price(me, { providerId: 'home', modelId: 'm' })).toEqual({
      inputPerMillion: 1,
      outputPerMillion: 2,
    });
    expect(await all.price(me, { providerId: 'home', modelId: 'n' })).toBeUndefined();
    expect(await all.price(me, { providerId: 'demo', modelId: 'demo' })).toBeUndefined();
    expect(await all.price(me, { providerId: 'gone', modelId: 'm' })).toBeUndefined();
  });
});

describe('models in the configuration file', () => {
  it('are rejected with their place if invalid', () => {
    expect(() => configFile({ models: { 'a/b': { price: { inputPerMillion: -1, outputPerMillion: 0 } } } })).toThrow(
      /config\.json, line \d+: "models\.a\/b\.price/,
    );
    expect(() => configFile({ models: { 'a/b': { prize: 1 } } })).toThrow(/unknown setting "models\.a\/b\.prize"/);
  });
});
