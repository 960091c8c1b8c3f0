import type { ModelRuntime } from '@toolyard/model-runtime';
import { createWebApiRuntime } from '@toolyard/model-runtime/webapi';
import type { ModelReply, ModelServer } from '@toolyard/testing';
import { reply } from '@toolyard/testing';
import { afterEach, beforeEach } from 'vitest';
import type { CallPolicy, ApiModelCall } from '../../models/call-limit.ts';
import type { ModelsService } from '../../models/models.ts';
import type { ModelsScene } from '../../models/test-fixtures/models-scene.ts';
import { setModelsScene } from '../../models/test-fixtures/models-scene.ts';
import type { HttpAppOptions } from '../types.ts';
import { OWNER } from '../types.ts';
import { askAsDescribed } from './documented.ts';
import type { TestResponse, TestServer } from './test-server.ts';
import { startTestServer } from './test-server.ts';

export const KEY = 'canary-key-of-the-provider';

/** A server with one provider, `p`, whose key is {@link KEY}. */
type ModelStage = {
  scene: ModelsScene;
  models: ModelsService;
  upstream: ModelServer;
  server: TestServer;
  /** The next responses of the provider. */
  script: ModelReply[];
  admitted: { call: ApiModelCall; usage?: unknown; over: boolean }[];
};

/** A user message in a model call. */
export const userMessage = (text: string) => ({ role: 'user', parts: [{ type: 'text', text }] });

/** A provider and a server that uses it, for each test of a file. */
export function useModelStage(change: Pick<HttpAppOptions, 'telemetry'> = {}) {
  const stage = {} as ModelStage;

  const callPolicy: CallPolicy = {
    admit(_principal, call) {
      const entry: ModelStage['admitted'][number] = { call, over: false };
      stage.admitted.push(entry);
      return (usage) => Object.assign(entry, { usage, over: true });
    },
  };

  beforeEach(async () => {
    stage.script = [];
    stage.admitted = [];
    stage.scene = await setModelsScene();
    stage.models = await stage.scene.models({
      statedModels: { 'p/dear': { price: { inputPerMillion: 10, outputPerMillion: 100 } } },
    });
    stage.upstream = await stage.scene.server(() => stage.script.shift() ?? reply.text('Hello.'), { requireKey: KEY });
    await stage.models.create(OWNER, { id: 'p', label: 'P', baseUrl: stage.upstream.url, apiKey: KEY });
    stage.server = await startTestServer({ change: { models: stage.models, callPolicy, ...change } });
  });
  afterEach(async () => {
    await stage.server.close();
    await stage.scene.end();
  });

  return {
    stage,
    post: (path: string, json: unknown): Promise<TestResponse> => askAsDescribed(stage.server, path, { json }),
    runtime: (): ModelRuntime =>
      createWebApiRuntime({ provider: 'p', baseUrl: stage.server.url, fetch: (input, init) => fetch(input, init) }),
  };
}
