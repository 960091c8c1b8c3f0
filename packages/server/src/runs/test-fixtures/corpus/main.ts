import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { argv, stdout } from 'node:process';
import { CORPUS, recordSettings, SHAPE_FILE, versions } from './corpus.ts';
import { recordScenario } from './record.ts';
import { toLines } from './recording.ts';
import { currentShape, settingLines } from './shape.ts';
import { CORPUS_SCENARIOS } from './scenarios.ts';

/**
 * `npm run program -- packages/server/src/runs/test-fixtures/corpus/main.ts` records every scenario with this version, in a
 * new folder of the corpus; with `--replace` in the newest one, as long as no release has stored data in that format.
 */
const known = versions();
const replace = argv.includes('--replace');
const number = replace ? Math.max(1, known.length) : known.length + 1;
const folder = join(CORPUS, `v${number}`);
if (replace && existsSync(folder)) for (const file of readdirSync(folder)) rmSync(join(folder, file));
mkdirSync(folder, { recursive: true });
for (const name of Object.keys(CORPUS_SCENARIOS)) {
  const recording = await recordScenario(name);
  writeFileSync(join(folder, `${name}.jsonl`), toLines(recording));
  stdout.write(`v${number}: ${name}, ${recording.moments.length} moments\n`);
}
writeFileSync(join(folder, SHAPE_FILE), currentShape());
recordSettings(settingLines());
