import { describeCorpusInSandbox } from '../test-fixtures/corpus-suite.ts';

describeCorpusInSandbox({ every: 12, seconds: 1, effective: 5 });
