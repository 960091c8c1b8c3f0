import type { ArtifactList } from '@toolyard/protocol';
import { reply } from '@toolyard/testing';
import { describe, expect, it } from 'vitest';
import { call } from '../support/api.ts';
import { ServerInstances } from '../support/server-instances.ts';
import { CONVERSATION, TestUser } from '../support/test-user.ts';

/** @param places failpoints at which the server is killed, in the second call */
export function describeKilledArtifact(places: readonly string[]): void {
  describe('a server killed while the built-in tool `artifact` executes', () => {
    it.each(places)('(%s) has each version once, and asks nothing', async (place) => {
      const calls = [
        { title: 'List', kind: 'markdown', content: '- one\n' },
        { id: 'a1', old_text: '- one', new_text: '- one\n- two' },
      ];
      const script = (messages: readonly { role: string }[]) => {
        const args = calls[messages.filter(({ role }) => role === 'tool').length];
        return args === undefined ? reply.text('Written.') : reply.toolCalls([{ name: 'artifact', arguments: args }]);
      };
      await using lives = await ServerInstances.with(script, { serverTools: true });
      const user = new TestUser(() => ({ decision: 'failed' }));
      // In the second call.
      const first = await lives.start({ place, hit: 2 });
      await user.goOn(first.url);
      expect(await first.exited()).toBe('SIGKILL');
      const last = await lives.startHere();
      expect(await user.goOn(last.url)).toBe('over');
      expect(await user.answered(last.url)).toEqual([]);
      const { items } = await call<ArtifactList>(last.url, 'GET', `/api/conversations/${CONVERSATION}/artifacts`);
      expect(items).toMatchObject([{ id: 'a1', versions: [{ version: 1 }, { version: 2 }] }]);
      const file = items[0]?.versions[1]?.file ?? '';
      expect(await (await fetch(`${last.url}/api/files/${file}`)).text()).toBe('- one\n- two\n');
      expect(lives.faults).toEqual([]);
    });
  });
}
