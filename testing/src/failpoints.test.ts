import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { createFailpoints } from './failpoints.ts';
import { runNode } from './processes.ts';

test('an unarmed failpoint has no effect and is recorded', async () => {
  const failpoints = createFailpoints();
  await failpoints('a');
  await failpoints('b');
  await failpoints('a');
  expect(failpoints.passed).toEqual(['a', 'b', 'a']);
});

test('an armed failpoint throws until it is cleared', async () => {
  const failpoints = createFailpoints();
  failpoints.at('write', () => {
    throw new Error('disk full');
  });
  expect(() => failpoints('write')).toThrow('disk full');
  failpoints.clear('write');
  await failpoints('write');
});

test('with `hit` only the nth pass runs the action', () => {
  const failpoints = createFailpoints();
  let ran = 0;
  failpoints.at('step', () => void ran++, { hit: 2 });
  const counts = [1, 2, 3].map(() => {
    void failpoints('step');
    return ran;
  });
  expect(counts).toEqual([0, 1, 1]);
});

test('an armed failpoint can block the code', async () => {
  const failpoints = createFailpoints();
  const gate = Promise.withResolvers<void>();
  failpoints.at('gate', () => gate.promise);
  const order: string[] = [];
  const work = (async () => {
    await failpoints('gate');
    order.push('passed');
  })();
  order.push('waiting');
  gate.resolve();
  await work;
  expect(order).toEqual(['waiting', 'passed']);
});

test('a killed process runs no further handler or line', async () => {
  const failpointsFile = fileURLToPath(new URL('./failpoints.ts', import.meta.url));
  const program = `
    import { createFailpoints, killThisProcess } from ${JSON.stringify(failpointsFile)};
    process.on('exit', () => console.log('exit handler'));
    const failpoints = createFailpoints();
    failpoints.at('commit', killThisProcess, { hit: 2 });
    await failpoints('commit');
    console.log('first');
    await failpoints('commit');
    console.log('second');
  `;
  const result = await runNode(['--input-type=module', '--eval', program]);
  expect(result).toMatchObject({ code: null, signal: 'SIGKILL', stdout: 'first\n' });
});
