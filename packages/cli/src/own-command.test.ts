import { expect, it } from 'vitest';
import { ownCommand, shellWord } from './own-command.ts';

it.each([
  [{}, 'toolyard'],
  [{ npm_command: 'run-script' }, 'toolyard'],
  [{ npm_command: 'exec' }, 'npx toolyard'],
  [{ npm_command: 'run-script', TOOLYARD_COMMAND: 'npm run -s toolyard --' }, 'npm run -s toolyard --'],
  [{ npm_command: 'exec', TOOLYARD_COMMAND: ' ' }, 'npx toolyard'],
])('with the variables %j the CLI is called as %s', (env, command) => {
  expect(ownCommand({ env })).toBe(command);
});

it.each([
  ['/data/toolyard', '/data/toolyard'],
  ['/my data/$x', '"/my data/\\$x"'],
])('a folder %s is printed as %s', (folder, word) => {
  expect(shellWord(folder)).toBe(word);
});
