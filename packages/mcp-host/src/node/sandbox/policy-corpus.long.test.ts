import { describeCorpusInSandbox } from '../test-fixtures/corpus-suite.ts';

describeCorpusInSandbox({ every: 1, seconds: 2, effective: 60 });
