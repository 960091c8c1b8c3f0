/**
 * fast-check, dealing from the one seed of the tests. All property tests import it from here.
 * @module
 */
import fc from 'fast-check';
import { TEST_SEED } from './seed.ts';

fc.configureGlobal({ seed: TEST_SEED });

export { fc };
