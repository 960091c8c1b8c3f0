import { describe, expect, it } from 'vitest';
import { createGate } from './gate.ts';
import type { GateOptions } from './gate.ts';

function gate(changes: Partial<GateOptions> = {}): ReturnType<typeof createGate> {
  return createGate({
    mode: 'manual',
    permission: () => undefined,
    lookUp: () => ({ builtIn: false, readOnly: false }),
    ...changes,
  });
}

const tool = { serverId: 'files', name: 'write' };

describe('createGate', () => {
  it('runs a built-in read-only tool unasked', () => {
    expect(gate({ lookUp: () => ({ builtIn: true, readOnly: true }) })(tool)).toEqual({ decision: 'run' });
  });

  it('does not believe a server that calls its own tool read-only', () => {
    expect(gate({ lookUp: () => ({ builtIn: false, readOnly: true }) })(tool)).toEqual({ decision: 'ask' });
  });

  it('asks about a built-in tool that changes things', () => {
    expect(gate({ lookUp: () => ({ builtIn: true, readOnly: false }) })(tool)).toEqual({ decision: 'ask' });
  });

  it('runs what the owner allowed, by server and tool, and nothing of the same name elsewhere', () => {
    const allowing = gate({ permission: ({ serverId }) => (serverId === 'files' ? 'allow' : undefined) });
    expect(allowing(tool)).toEqual({ decision: 'run' });
    expect(allowing({ serverId: 'other', name: 'write' })).toEqual({ decision: 'ask' });
  });

  it('never runs what the owner forbade, not even if it is harmless', () => {
    const forbidding = gate({ permission: () => 'never', lookUp: () => ({ builtIn: true, readOnly: true }) });
    expect(forbidding(tool)).toMatchObject({ decision: 'refused', refusal: { code: 'tool_refused' } });
  });

  it('refuses where nobody can be asked, and says how to allow it', () => {
    const verdict = gate({ mode: 'headless' })(tool);
    expect(verdict).toMatchObject({ decision: 'refused', refusal: { code: 'tool_refused' } });
    expect(verdict.decision === 'refused' && verdict.refusal.hint).toContain('--allow files/write');
  });

  describe('attack 17: a tool that is not what was allowed any more', () => {
    const changed = { hasMoved: false, differences: [{ path: 'description', after: '"x"' }] };
    const about = { description: 'x', definition: 'now', changed };
    const lookUp = () => ({ builtIn: false, readOnly: false, changed, about: () => about });

    it('is asked about again, with what has changed', () => {
      expect(gate({ permission: () => 'allow', lookUp })(tool)).toEqual({ decision: 'ask', about });
    });

    it('is refused where nobody can be asked', () => {
      const verdict = gate({ mode: 'headless', permission: () => 'allow', lookUp })(tool);
      expect(verdict).toMatchObject({ refusal: { message: expect.stringContaining('not what it was') as string } });
    });

    it('stays forbidden where it was', () => {
      expect(gate({ permission: () => 'never', lookUp })(tool)).toMatchObject({ decision: 'refused' });
    });
  });

  it('asks about a tool that has gone since', () => {
    expect(gate({ lookUp: () => undefined })(tool)).toEqual({ decision: 'ask' });
  });
});
