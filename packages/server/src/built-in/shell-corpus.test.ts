import { describeShellCorpus } from './test-fixtures/shell-corpus.ts';

describeShellCorpus({ every: 31 });
