import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, mkdtempSync, openSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { needs, registerProcess, SANDBOX, sharedTmp, SOURCE_CONDITION, within } from '@toolyard/testing';
import { afterEach, expect, test } from 'vitest';
import { fixture } from './test-fixtures/peers.ts';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** Starts the fixture with 200 open descriptors above a gap, which Node does not mark: files, and a socket. */
async function startWithOpen(...args: string[]): Promise<{ listed: [string, string[]][]; secret: string }> {
  const folder = realpathSync(mkdtempSync(join(sharedTmp(), 'toolyard-descriptors-')));
  ends.push(() => rmSync(folder, { recursive: true, force: true }));
  const secret = join(folder, 'secret');
  writeFileSync(secret, 'secret');
  const server = createServer(() => undefined).listen(0, '127.0.0.1');
  ends.push(() => server.close());
  await within(once(server, 'listening'), { what: 'the listener' });
  const address = server.address();
  const socket = connect(typeof address === 'object' && address !== null ? address.port : 0, '127.0.0.1');
  ends.push(() => socket.destroy());
  await within(once(socket, 'connect'), { what: 'the socket' });
  const file = openSync(secret, 'r+');
  ends.push(() => closeSync(file));
  const work = join(folder, 'work');
  mkdirSync(work);
  const others = [...Array.from({ length: 37 }, () => 'ignore' as const), ...Array.from({ length: 199 }, () => file)];
  const child = spawn(process.execPath, [SOURCE_CONDITION, fixture('descriptor-lister.ts'), work, ...args], {
    stdio: ['ignore', 'pipe', 'inherit', ...others, socket],
  });
  registerProcess(child, 'a program with open descriptors');
  let output = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (output += text));
  await within(once(child, 'close'), { what: 'its end' });
  return { listed: JSON.parse(output) as [string, string[]][], secret };
}

/** The descriptors above 2 in the output of `ls`, which has the folder itself open. */
function above(lines: readonly string[]): string[] {
  return lines.flatMap((line) => {
    const [, descriptor = '', target = ''] = / (\d+) -> (.*)$/.exec(line) ?? [];
    return Number(descriptor) > 2 && !/^\/proc\/\d+\/fd$/.test(target) ? [`${descriptor} ${target}`] : [];
  });
}

test('a program of ours hands none of the descriptors it was started with to a child', needs(SANDBOX), async () => {
  const { listed } = await startWithOpen('close');
  expect(listed.map(([name]) => name)).toEqual(['sandboxed', 'unsandboxed', 'command']);
  for (const [name, lines] of listed) {
    expect(lines.join('\n'), name).toContain(' 2 -> ');
    expect([name, above(lines)]).toEqual([name, []]);
  }
});

test(
  'a program that uses our packages keeps its own, and its children get nothing by them',
  needs(SANDBOX),
  async () => {
    const { listed, secret } = await startWithOpen();
    for (const [name, lines] of listed) {
      expect(above(lines).length, `${name}: ${lines.join('\n')}`).toBeGreaterThan(0);
      expect([name, above(lines).filter((line) => !line.endsWith(' /dev/null'))]).toEqual([name, []]);
      expect(lines.join('\n')).not.toContain(secret);
    }
  },
);
