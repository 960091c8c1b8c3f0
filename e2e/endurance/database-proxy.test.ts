import { expect, it } from 'vitest';
import { withoutNotifications } from './database-proxy.ts';

function message(letter: string, text: string): Buffer {
  const body = Buffer.from(text);
  const head = Buffer.alloc(5);
  head.write(letter);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

const messages = [
  message('R', 'welcome'),
  message('A', 'toolyard'),
  message('Z', ''),
  message('A', ''),
  message('D', 'A row'),
];
const all = Buffer.concat(messages);

async function through(bytes: Buffer, pieces: number, wanted: boolean): Promise<Buffer> {
  const filter = withoutNotifications(() => wanted);
  for (let at = 0; at < bytes.length; at += pieces) filter.write(bytes.subarray(at, at + pieces));
  filter.end();
  return Buffer.concat((await filter.toArray()) as Buffer[]);
}

it.each([1, 2, 3, 5, 7, 1_000])('drops notifications and nothing else, in chunks of %i bytes', async (pieces) => {
  expect(await through(all, pieces, false)).toEqual(all);
  expect(await through(all, pieces, true)).toEqual(Buffer.concat(messages.filter((each) => each[0] !== 0x41)));
});
