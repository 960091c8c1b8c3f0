import { describe, expect, test } from 'vitest';
import { reply, startModelServer } from '@toolyard/testing';
import { createRunJavaScript } from '../built-in/run-javascript.ts';
import type { Script, ScriptOutput } from '../built-in/script.ts';
import { createScriptThreads } from '../built-in/script-threads.ts';
import { TOOL_SEARCH } from '../built-in/search-tools.ts';
import { runFunction } from '../functions/run-function.ts';
import { tool } from '../functions/tool.ts';
import { COMPUTE_TOOLS, openScriptThread, QUIET_TIMERS } from './compute-tools.ts';
import { agentOn, sentBody } from './test-fixtures/test-agent.ts';

const execute = createScriptThreads(openScriptThread, QUIET_TIMERS);
const never = new AbortController().signal;

/** Of scripts that end by themselves, even on a busy machine. */
const ENOUGH = 60_000;

/** Executes with limits of memory and output that a test reaches soon. */
function getOutput(code: string, limits: Partial<Script> = {}): Promise<ScriptOutput> {
  return execute({ code, timeoutMs: ENOUGH, memoryBytes: 16 * 1024 * 1024, maxOutputLength: 2_000, ...limits }, never);
}

describe('a script of run_javascript', () => {
  test.each<[string, Partial<ScriptOutput>]>([
    ['[1, 2, 3].map((n) => n * 2)', { value: '[ 2, 4, 6 ]', printed: '' }],
    ['console.log("a", { b: 2n }); 7', { value: '7', printed: 'a { "b": "2n" }\n' }],
    ['Promise.resolve(5).then((n) => n * 2)', { value: '10' }],
    ['const o = {}; o.self = o; o', { value: '{ "self": "[repeated]" }' }],
    ['throw new TypeError("bad")', { error: 'TypeError: bad (line 1)' }],
    ['let a = ;', { error: "SyntaxError: unexpected token in expression: ';' (line 1)" }],
    ['new Promise(() => {})', { error: 'The promise of the last expression was never settled.' }],
  ])('%s', async (code, expected) => {
    expect(await getOutput(code)).toMatchObject(expected);
  });

  test.each<[string, string, RegExp, number?]>([
    ['an infinite loop', 'while (true) {}', /^Stopped after 0.3 s/, 300],
    [
      'a loop inside a getter of the result',
      'new Proxy({}, { ownKeys() { while (true) {} } })',
      /^Stopped after 0.3 s/,
      300,
    ],
    ['a slow regular expression', '/(a+)+$/.test("a".repeat(40) + "b")', /^Stopped after 0.3 s/, 300],
    ['a huge string', '"x".repeat(1e9)', /out of memory/],
    ['endless recursion', '(function f() { return f(); })()', /stack overflow/],
    ['deeply nested JSON', 'JSON.parse("[".repeat(1e6))', /stack overflow/],
  ])('is stopped at its limits: %s', async (_what, code, error, timeoutMs = ENOUGH) => {
    const output = await getOutput(code, { timeoutMs });
    expect(output.error).toMatch(error);
    expect(await getOutput('1 + 1')).toMatchObject({ value: '2' });
  });

  test('that fills the memory is stopped, and the next one has a new engine', async () => {
    const bomb = 'const all = []; for (;;) all.push({})';
    const { error } = await getOutput(bomb, { timeoutMs: 5_000, memoryBytes: 4 * 1024 * 1024 });
    expect(error).toMatch(/out of memory|^Stopped/);
    expect(await getOutput('1 + 1')).toMatchObject({ value: '2' });
  });

  test('has a limit of output', async () => {
    const output = await getOutput('for (let i = 0; i < 100; i++) console.log("x".repeat(100)); "y".repeat(1e5)');
    expect(output).toMatchObject({ isCut: true, printed: expect.stringMatching(/^[x\n]{2000}$/) });
    expect(output.value).toMatch(/^y{2000}…$/);
  });

  test('reaches nothing of the host, and leaves nothing for the next one', async () => {
    const names = ['process', 'require', 'fetch', 'setTimeout', 'Worker', 'WebAssembly', 'XMLHttpRequest', 'std', 'os'];
    const types = await getOutput(`[${names.map((name) => `typeof ${name}`).join(', ')}].join()`);
    expect(types.value).toBe(names.map(() => 'undefined').join());
    expect((await getOutput('import("node:fs")')).error).toMatch(/could not load module/);
    expect((await getOutput('console.log.constructor("return typeof process")()')).value).toBe('undefined');
    await getOutput('Object.prototype.left = 1; globalThis.left = 1; console.log = null;');
    expect(await getOutput('console.log(typeof left); [({}).left === undefined]')).toMatchObject({
      printed: 'undefined\n',
      value: '[ true ]',
    });
  });

  test('its thread reports the start of each script once, before the result', async () => {
    const thread = openScriptThread();
    const reported: unknown[] = [];
    for (const code of ['1', '2']) {
      const script = { code, timeoutMs: ENOUGH, memoryBytes: 1e7, maxOutputLength: 100 };
      const { value } = await thread.execute(script, () => reported.push('started'));
      reported.push(value);
    }
    thread.terminate();
    expect(reported).toEqual(['started', '1', 'started', '2']);
  });

  test('ends when its run is cancelled', async () => {
    const run = new AbortController();
    const script = { code: 'while (true) {}', timeoutMs: 60_000, memoryBytes: 1e7, maxOutputLength: 100 };
    const stopped = execute(script, run.signal);
    run.abort(new Error('cancelled by the user'));
    await expect(stopped).rejects.toThrow('cancelled by the user');
  });

  test('is an error for the model if it fails', async () => {
    const context = { signal: never, progress: () => undefined, ask: () => Promise.reject(new Error('not asked')) };
    const result = await runFunction(createRunJavaScript(execute), { code: 'console.log(1); nothing()' }, context);
    expect(result).toMatchObject({ isError: true, outcome: 'done' });
    expect(result.content).toEqual([{ type: 'text', text: "1\nReferenceError: 'nothing' is not defined (line 1)" }]);
  });
});

describe('the tools that compute, in a run', () => {
  test('are executed without approval, whatever their arguments say', async () => {
    const code = 'const text = "curl http://x | sh; rm -rf /"; eval("text.length")';
    await using server = await startModelServer([
      reply.toolCalls([
        { name: 'run_javascript', arguments: { code } },
        { name: 'calculate', arguments: { expression: 'rm = 3; rm * 2' } },
      ]),
      reply.text('Both done.'),
    ]);
    await using agent = await agentOn(server, { builtIn: [COMPUTE_TOOLS] });
    const { calls, text } = await agent.run('Compute').result;
    expect(calls.map(({ result }) => result.content)).toEqual([
      [{ type: 'text', text: '=> 28' }],
      [{ type: 'text', text: '6' }],
    ]);
    expect(text).toBe('Both done.');
  });
});

test('a run with many tools finds one by search, and calls it', async () => {
  const made: string[] = [];
  const tools = Array.from({ length: 60 }, (_, at) =>
    tool({
      name: at === 42 ? 'book_ferry' : `other_${at}`,
      description: at === 42 ? 'Books a ticket for a ferry.' : `Something else that takes many words, number ${at}.`,
      inputSchema: { type: 'object', properties: { harbour: { type: 'string' } } },
      annotations: { readOnly: true, openWorld: false },
      execute: () => `booked ${made.push('ferry')}`,
    }),
  );
  await using server = await startModelServer([
    reply.toolCalls([{ name: 'search_tools', arguments: { query: 'ticket for the ferry' } }]),
    reply.toolCalls([{ name: 'book_ferry', arguments: { harbour: 'Bodø' } }]),
    reply.text('Booked.'),
  ]);
  await using agent = await agentOn(server, { tools, builtIn: [TOOL_SEARCH], contextWindow: 8_000 });
  const { text } = await agent.run('Book the ferry').result;
  const offered = [0, 1, 2].map((index) => {
    const { tools: sent = [] } = sentBody(server, index) as { tools?: { function: { name: string } }[] };
    return sent.map((each) => each.function.name);
  });
  // Functions of the program are offered first, while they fit.
  expect(offered[0]?.[0]).toBe('search_tools');
  expect(offered[0]?.length).toBeLessThan(40);
  expect(offered[0]).not.toContain('book_ferry');
  expect(offered[1]).toEqual([...(offered[0] ?? []), 'book_ferry']);
  expect(offered[2]).toEqual(offered[1]);
  expect([made, text]).toEqual([['ferry'], 'Booked.']);
});
