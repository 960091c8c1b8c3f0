import { describeRunStore } from '../test-fixtures/conformance/describe-run-store.ts';
import { openSqliteEngine } from '../test-fixtures/sqlite-engine.ts';

describeRunStore('SQLite run store', openSqliteEngine);
