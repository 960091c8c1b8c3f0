import { describe, expect, it } from 'vitest';
import type { ArtifactList, InDoubtAnswer } from '@toolyard/protocol';
import { reply } from '@toolyard/testing';
import type { InDoubtCase } from './faults/killed-cases.ts';
import { CERTAIN, describeKilled, IN_DOUBT, isShort, runKilled, TRANSCRIPT } from './faults/killed-cases.ts';
import { call } from './support/api.ts';
import { ServerInstances } from './support/server-instances.ts';
import { CONVERSATION, TestUser } from './support/test-user.ts';
import { transcriptLines } from './support/transcript.ts';

describe('a run without faults', () => {
  it('passes every failpoint at which a test kills the server', async () => {
    const { view, counted, passed } = await runKilled(null, { doubt: { decision: 'failed' } });
    expect(transcriptLines(view.page.messages)).toEqual(TRANSCRIPT);
    expect(counted).toBe(1);
    const places = new Set([...CERTAIN, ...IN_DOUBT].map(([, place]) => place));
    expect(passed.filter((place) => place.startsWith('run:') && !places.has(place))).toEqual([]);
  });
});

describe('a server killed while the built-in tool `artifact` executes', () => {
  it.each(['run:sent', 'run:returned'])('(%s) has each version once, and asks nothing', async (place) => {
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

// The other points and decisions: `killed.long.test.ts`.
describeKilled({ certain: CERTAIN.filter((each) => isShort(each)), inDoubt: IN_DOUBT.map(briefly) });

/** All decisions for the first point, one for each other. */
function briefly(each: InDoubtCase, index: number): [InDoubtCase, InDoubtAnswer['decision'][]] {
  const decisions = (['repeat', 'failed', 'result'] as const).filter(
    (_decision, at) => index === 0 || at === index - 1,
  );
  return [each, decisions];
}
