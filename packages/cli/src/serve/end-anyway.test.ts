import { fileURLToPath } from 'node:url';
import { runNode, SOURCE_CONDITION } from '@toolyard/testing';
import { expect, test } from 'vitest';

const MODULE = fileURLToPath(new URL('./end-anyway.ts', import.meta.url));

/** A process that would go on for ever, and that calls `endAnyway` with these options. */
async function exitOf(waitsFor: string): Promise<{ code: number | null; stderr: string }> {
  const program = `
    import { endAnyway } from ${JSON.stringify(MODULE)};
    setInterval(() => {}, 1_000);
    endAnyway({ waitsFor: () => ${waitsFor}, tell: (line) => console.error(line), withinS: 0.1 });
  `;
  return runNode([SOURCE_CONDITION, '--input-type=module', '--eval', program]);
}

test('exits with code 1 and names what the process waited for', async () => {
  expect(await exitOf(`'the storage'`)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(
      'not ended after 0.1 s and ended all the same; what held on: the storage',
    ) as string,
  });
});

test('lists the open resources where what it waits for has no name', async () => {
  expect(await exitOf('null')).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/what held on: open in this process: .*Timeout/) as string,
  });
});
