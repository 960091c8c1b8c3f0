import { type } from 'arktype';
import * as v from 'valibot';
import { describe, expect, expectTypeOf, test } from 'vitest';
import type { JsonObject } from '@toolyard/protocol';
import { runFunction } from './run-function.ts';
import type { FunctionTool, ToolContext } from './tool.ts';
import { tool } from './tool.ts';

const ctx: ToolContext = {
  signal: new AbortController().signal,
  progress: () => undefined,
  ask: () => Promise.reject(new Error('not asked')),
};

const jsonSchema: JsonObject = {
  type: 'object',
  properties: { city: { type: 'string' }, days: { type: 'string' } },
  required: ['city', 'days'],
};

async function expectsCityAndDays(weather: FunctionTool): Promise<void> {
  expect(weather.inputSchema).toMatchObject({ type: 'object', properties: { city: { type: 'string' } } });
  const answer = await runFunction(weather, { city: 'Oslo', days: '3' }, ctx);
  expect(answer).toMatchObject({ content: [{ text: 'Oslo for 4 days' }], isError: false });
  const rejected = await runFunction(weather, { city: 7, days: '3' }, ctx);
  expect(rejected).toMatchObject({ isError: true, outcome: 'not_sent', error: { code: 'invalid_arguments' } });
  expect(rejected.error?.message).toMatch(/"weather" are invalid: "city": .*string/);
}

describe('a function tool with a schema of', () => {
  test('valibot is typed, validated and transformed, and described by the given JSON Schema', async () => {
    const inputSchema = v.object({ city: v.string(), days: v.pipe(v.string(), v.transform(Number)) });
    const weather = tool({
      name: 'weather',
      description: 'The weather of the next days.',
      inputSchema,
      jsonSchema,
      execute(args) {
        expectTypeOf(args).toEqualTypeOf<{ city: string; days: number }>();
        return `${args.city} for ${args.days + 1} days`;
      },
    });
    await expectsCityAndDays(weather);
    const undescribed = { name: 'weather', description: '', inputSchema, execute: () => '' };
    expect(() => tool(undescribed)).toThrow('(valibot) cannot be turned into JSON Schema');
  });

  test('arktype is typed, validated and transformed, and described by its own JSON Schema', async () => {
    const weather = tool({
      name: 'weather',
      description: 'The weather of the next days.',
      inputSchema: type({ city: 'string', days: 'string.numeric.parse' }),
      execute(args) {
        expectTypeOf(args).toEqualTypeOf<{ city: string; days: number }>();
        return `${args.city} for ${args.days + 1} days`;
      },
    });
    await expectsCityAndDays(weather);
  });
});
