// Cost of assembling a request in a long conversation, and of a run that parks for a user.
import { measureAssembling } from './context/assemble.ts';
import { measureParking } from './context/park.ts';
import { noContext, runBench } from './harness/bench.ts';

await runBench({
  name: 'context',
  parts: {
    assemble: ({ options }) => measureAssembling(options.quick ? 20 : 100),
    park: ({ options }) => measureParking(options.quick ? 20 : 100),
  },
  contexts: noContext,
});
