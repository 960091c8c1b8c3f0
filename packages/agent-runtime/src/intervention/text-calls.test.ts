import { cases, fc } from '@toolyard/testing/property';
import { expect, test } from 'vitest';
import type { InterventionMode, TextCall } from '@toolyard/protocol';
import type { InterventionOptions, ToolPolicyFacts } from './intervention-checker.ts';
import { InterventionChecker } from './intervention-checker.ts';

const TOOL = { serverId: 'notes', name: 'write' };
const mode = fc.constantFrom<InterventionMode>('manual', 'allow-list', 'auto', 'headless');
const toolFacts: fc.Arbitrary<ToolPolicyFacts> = fc.record(
  { builtIn: fc.boolean(), readOnly: fc.boolean(), trusted: fc.boolean(), isolated: fc.boolean() },
  { requiredKeys: ['builtIn', 'readOnly'] },
);
const options: fc.Arbitrary<InterventionOptions> = fc
  .record({
    mode,
    permission: fc.constantFrom('allow' as const, undefined),
    allows: fc.boolean(),
    facts: toolFacts,
  })
  .map((all) => ({
    mode: all.mode,
    permission: () => all.permission,
    rules: all.allows ? [{ decision: 'allow' as const, tool: 'notes/*' }] : [],
    lookUp: () => all.facts,
  }));
const suspect = fc.constantFrom<TextCall>(
  { copiedFrom: { from: 'result', name: 'page' } },
  { position: 'quote' },
  { position: 'code' },
  { byUser: true },
);

test('a call that is copied, quoted or shown as code never runs without a question, whatever is allowed', () => {
  fc.assert(
    fc.property(options, suspect, (of, textCall) => {
      const verdict = new InterventionChecker(of).check(TOOL, { text: 'hello' }, textCall);
      if (of.mode === 'headless') expect(verdict.decision).toBe('refused');
      else expect(verdict).toMatchObject({ decision: 'ask', about: { textCall } });
    }),
    cases(300),
  );
});

test('any other call written as text is decided like a native one, and its card says how it was written', () => {
  fc.assert(
    fc.property(options, (of) => {
      const checker = new InterventionChecker(of);
      const native = checker.check(TOOL, { text: 'hello' });
      const written = checker.check(TOOL, { text: 'hello' }, {});
      expect(written.decision).toBe(native.decision);
      if (written.decision === 'ask')
        expect(written.about).toEqual({ ...(native.decision === 'ask' ? native.about : {}), textCall: {} });
    }),
    cases(300),
  );
});
