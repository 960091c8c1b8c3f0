import type { ApprovalInterrupt, ToolResult } from '@toolyard/protocol';
import { describe, expect, it } from 'vitest';
import { startedCall } from '../../transcript/calls.ts';
import type { CallView } from '../../transcript/calls.ts';
import type { ReasoningBlock, RowBlock } from '../../transcript/rows.ts';
import { groupNames, groupState, toSegments, summarizeGroup } from './call-groups.ts';
import type { GroupItem } from './call-groups.ts';

const REASONING: ReasoningBlock = { type: 'reasoning', text: 'hm', open: false, startedAt: null, durationMs: null };
const TEXT: RowBlock = { type: 'text', text: 'Found it.', open: false };

function call(callId: string, more: Partial<CallView> = {}): Extract<RowBlock, { type: 'call' }> {
  return { type: 'call', call: { ...startedCall(callId, 'search'), arguments: {}, started: true, ...more } };
}

function done(callId: string, result: Partial<ToolResult> = {}): Extract<RowBlock, { type: 'call' }> {
  return call(callId, { durationMs: 100, result: { content: [], isError: false, outcome: 'done', ...result } });
}

const APPROVAL: ApprovalInterrupt = {
  id: 'i',
  kind: 'approval',
  callId: 'c1',
  tool: { serverId: 's', name: 'search' },
  name: 'search',
  arguments: {},
};
const asks = (callId: string) => call(callId, { started: false, interrupt: APPROVAL });

function hidden(...blocks: RowBlock[]): string[] {
  const items = blocks.map((block, place) => ({ block, place })) as GroupItem[];
  return [...summarizeGroup(items, ({ callId }) => callId === 'kept').hidden];
}

describe('groups of calls', () => {
  it('hold consecutive calls and the reasoning between them', () => {
    const blocks = [REASONING, call('c1'), REASONING, call('c2'), REASONING, TEXT, call('c3')];
    const shown = toSegments(blocks).map((segment) =>
      segment.type === 'calls'
        ? segment.items.map(({ place }) => place)
        : segment.type === 'block'
          ? segment.place
          : null,
    );
    expect(shown).toEqual([0, [1, 2, 3], 4, 5, [6]]);
  });

  it('keep their key while more calls follow', () => {
    expect(toSegments([call('c1')])[0]?.key).toBe('c1');
    expect(toSegments([call('c1'), call('c2')])[0]?.key).toBe('c1');
  });

  it('hide only calls that ended well, and only several', () => {
    expect(hidden(done('c1'), done('c2'), done('c3'))).toEqual(['c1', 'c2', 'c3']);
    expect(hidden(done('c1'), asks('c2'))).toEqual([]);
    expect(hidden(done('c1'), done('kept'), done('c2'))).toEqual(['c1', 'c2']);
  });

  it('never hide an open interrupt, a call in progress, a failure or an image', () => {
    const failed = done('c4', { isError: true });
    const unknown = done('c5', { isError: true, outcome: 'unknown' });
    const image = done('c6', { content: [{ type: 'image', mimeType: 'image/png', source: { data: 'AA==' } }] });
    expect(hidden(done('c1'), asks('c2'), call('c3'), failed, unknown, image, done('c7'))).toEqual(['c1', 'c7']);
  });

  it('show the most urgent state and how many calls failed', () => {
    const view = (block: Extract<RowBlock, { type: 'call' }>) => block.call;
    const failed = done('c2', { isError: true });
    expect(groupState([done('c1'), failed, call('c3'), asks('c4')].map(view))).toBe('asks');
    expect(groupState([done('c1'), failed, call('c3')].map(view))).toBe('running');
    expect(groupState([done('c1'), failed].map(view))).toBe('failed');
    expect(groupState([done('c1')].map(view))).toBe('done');
    const items = [done('c1'), failed, done('c3')].map((block, place) => ({ block, place }));
    expect(summarizeGroup(items, () => false)).toMatchObject({ failed: 1, durationMs: 300 });
  });

  it('say how many calls ended otherwise than well', () => {
    const error = (code: 'tool_refused' | 'cancelled') => ({ code, message: '' });
    const denied = done('c2', { isError: true, outcome: 'not_sent', error: error('tool_refused') });
    const stopped = done('c3', { isError: true, outcome: 'not_sent', error: error('cancelled') });
    const items = [done('c1'), denied, denied, stopped].map((block, place) => ({ block, place }));
    expect(summarizeGroup(items, () => false)).toMatchObject({ failed: 0, denied: 2, stopped: 1 });
  });

  it('name each tool once', () => {
    expect(groupNames(['search', 'read_file', 'search'])).toEqual({ names: 'search ×2, read_file', more: 0 });
    expect(groupNames(['a', 'b', 'c', 'd', 'e', 'f'])).toEqual({ names: 'a, b, c, d', more: 2 });
  });
});
