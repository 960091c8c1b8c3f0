import { afterAll, expect } from 'vitest';
import { beginTestFile } from './cost/by-file.ts';

// The first setup file of Vitest, evaluated before each test file: its hook is the last to run.
const end = beginTestFile();
// oxlint-disable-next-line core/no-restricted-syntax -- the rule is about modules that are evaluated once per worker
afterAll(() => end(expect.getState().testPath ?? ''));
