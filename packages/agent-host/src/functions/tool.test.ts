import { describe, expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { JsonObject, PromptAnswer, ToolResult } from '@toolyard/protocol';
import { ToolyardError } from '@toolyard/protocol';
import { runFunction } from './run-function.ts';
import type { ArgumentsOf, ToolContext, ToolOutput } from './tool.ts';
import { tool } from './tool.ts';

const ctx: ToolContext = {
  signal: new AbortController().signal,
  progress: () => undefined,
  ask: () => Promise.reject(new Error('not asked')),
};

const returning = (output: ToolOutput): Promise<ToolResult> =>
  runFunction(
    tool({ name: 'it', description: 'Returns.', inputSchema: { type: 'object' }, execute: () => output }),
    {},
    ctx,
  );

/** A Standard Schema without support for JSON Schema. */
const plain: StandardSchemaV1<unknown, { n: number }> = {
  '~standard': {
    version: 1,
    vendor: 'plain',
    validate: (value) =>
      typeof (value as { n?: unknown }).n === 'number'
        ? { value: { n: (value as { n: number }).n } }
        : { issues: [{ message: 'no number', path: [{ key: 'n' }] }] },
  },
};

describe('the arguments of a function tool', () => {
  it('have the types of a schema library, after its transformations', () => {
    tool({
      name: 'it',
      description: 'Typed.',
      inputSchema: z.object({ city: z.string(), day: z.coerce.number().optional(), list: z.array(z.boolean()) }),
      execute(args, { ask }) {
        expectTypeOf(args).toEqualTypeOf<{ city: string; day?: number | undefined; list: boolean[] }>();
        expectTypeOf(ask({ kind: 'prompt', question: 'Which?' })).resolves.toEqualTypeOf<PromptAnswer>();
      },
    });
    expectTypeOf<ArgumentsOf<typeof plain>>().toEqualTypeOf<{ n: number }>();
  });

  it('have the types of a literal JSON Schema', () => {
    tool({
      name: 'it',
      description: 'Typed.',
      inputSchema: {
        type: 'object',
        properties: {
          city: { type: 'string' },
          unit: { enum: ['C', 'F'] },
          days: { type: 'array', items: { type: 'integer' } },
          place: { type: 'object', properties: { lat: { type: 'number' } }, required: ['lat'] },
          or: { anyOf: [{ type: 'null' }, { const: 'all' }] },
          maybe: { type: ['string', 'null'] },
          any: {},
        },
        required: ['city', 'or'],
      },
      execute(args) {
        expectTypeOf(args.city).toEqualTypeOf<string>();
        expectTypeOf(args.unit).toEqualTypeOf<'C' | 'F' | undefined>();
        expectTypeOf(args.days).toEqualTypeOf<number[] | undefined>();
        expectTypeOf(args.place).toEqualTypeOf<{ lat: number } | undefined>();
        expectTypeOf(args.or).toEqualTypeOf<'all' | null>();
        expectTypeOf(args.maybe).toEqualTypeOf<string | null | undefined>();
      },
    });
    expectTypeOf<ArgumentsOf<{ type: 'object' }>>().toEqualTypeOf<JsonObject>();
  });

  it('are described to the model as JSON Schema', () => {
    const fromZod = tool({
      name: 'it',
      description: 'Described.',
      inputSchema: z.object({ city: z.string() }),
      execute: () => '',
    });
    expect(fromZod.inputSchema).toMatchObject({ type: 'object', properties: { city: { type: 'string' } } });
    const jsonSchema = { type: 'object', properties: { n: { type: 'number' } } };
    expect(tool({ name: 'it', description: '', inputSchema: plain, jsonSchema, execute: () => '' }).inputSchema).toBe(
      jsonSchema,
    );
    expect(() => tool({ name: 'it', description: '', inputSchema: plain, execute: () => '' })).toThrow('"it" (plain)');
    expect(() => tool({ name: 'it', description: '', inputSchema: z.string(), execute: () => '' })).toThrow('object');
    expect(() => tool({ name: 'not this', description: '', inputSchema: plain, execute: () => '' })).toThrow('1 to 64');
  });

  it.each([
    ['a library', plain, '"n": no number'],
    ['JSON Schema', { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] } as const, '"n"'],
  ])('are validated by %s before the tool is executed', async (_of, inputSchema, fault) => {
    const jsonSchema = { type: 'object' };
    let made = 0;
    const it = tool({ name: 'it', description: '', inputSchema, jsonSchema, execute: () => `made ${String(++made)}` });
    const rejected = await runFunction(it, { n: 'one' }, ctx);
    expect(rejected).toMatchObject({ isError: true, outcome: 'not_sent', error: { code: 'invalid_arguments' } });
    expect(rejected.error?.message).toContain(fault);
    expect((await runFunction(it, { n: 1 }, ctx)).content).toEqual([{ type: 'text', text: 'made 1' }]);
  });
});

describe('the result of a function tool', () => {
  it('is text, content parts, a complete result, or any JSON value', async () => {
    const content = [{ type: 'text' as const, text: 'Hello' }];
    expect(await returning('Hello')).toEqual({ content, isError: false, outcome: 'done' });
    expect(await returning(content)).toEqual({ content, isError: false, outcome: 'done' });
    const whole: ToolResult = { content, isError: true, outcome: 'unknown' };
    expect(await returning(whole)).toBe(whole);
    expect(await returning({ type: 'text', n: 1 })).toEqual({
      content: [{ type: 'text', text: '{"type":"text","n":1}' }],
      structured: { type: 'text', n: 1 },
      isError: false,
      outcome: 'done',
    });
    expect(await returning([])).toMatchObject({ structured: [] });
    expect(await returning(null)).toMatchObject({ structured: null });
    expect(await returning(undefined)).toMatchObject({ content: [{ text: 'Done.' }] });
  });

  it('is a failure without a stack if the tool throws', async () => {
    const throwing = (thrown: unknown): Promise<ToolResult> =>
      runFunction(
        tool({
          name: 'it',
          description: '',
          inputSchema: { type: 'object' },
          execute: () => Promise.reject(thrown as Error),
        }),
        {},
        ctx,
      );
    const failure = await throwing(new Error('no disk'));
    expect(failure).toEqual({
      content: [{ type: 'text', text: '"it" failed: no disk' }],
      isError: true,
      outcome: 'done',
      error: { code: 'tool_failed', message: '"it" failed: no disk' },
    });
    const known = new ToolyardError({ code: 'not_found', message: 'There is no city of this name.', hint: 'Look.' });
    expect(await throwing(known)).toMatchObject({ outcome: 'done', error: { code: 'not_found', hint: 'Look.' } });
    expect(await throwing('words')).toMatchObject({ error: { message: '"it" failed: words' } });
  });
});
