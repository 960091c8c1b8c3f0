// Cost of checking a call, with the blacklist and with rules.
import { noContext, runBench } from './harness/bench.ts';
import { FOUR_RULES, measurePolicy } from './policy/checks.ts';

await runBench({
  name: 'policy',
  parts: {
    'blacklist alone': ({ options }) => measurePolicy([], options.quick),
    'four rules': ({ options }) => measurePolicy(FOUR_RULES, options.quick),
  },
  contexts: noContext,
});
