import { isJsonObject } from '@toolyard/protocol';
import type { ModelScript } from '@toolyard/testing';
import { COUNT_FILE_VARIABLE, reply } from '@toolyard/testing';
import { ATTACKS, HOSTILE_SERVER, OTHER_SERVER } from './hostile-app.ts';
import type { StageOptions } from './stage.ts';

/** Shows the hostile app with the attack that the user names. */
const shows: ModelScript = ({ body }) => {
  const messages = isJsonObject(body) && Array.isArray(body['messages']) ? body['messages'] : [];
  const last = messages.at(-1);
  if (!isJsonObject(last) || last['role'] !== 'user') return reply.text('Attacked.');
  const content = JSON.stringify(last['content']);
  const attack = Object.keys(ATTACKS).find((name) => content.includes(name));
  return reply.toolCalls([{ name: 'attack', arguments: { attack: attack ?? '' } }]);
};

/** A stage with a server whose app attacks, and another server. */
export function attackStage(countFile: string): [script: ModelScript, options: StageOptions] {
  const hostile = { behaviour: HOSTILE_SERVER, env: { [COUNT_FILE_VARIABLE]: countFile } };
  return [shows, { servers: { hostile, other: { behaviour: OTHER_SERVER } }, direct: true }];
}
