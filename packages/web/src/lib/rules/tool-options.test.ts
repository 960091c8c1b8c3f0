import { expect, it } from 'vitest';
import { testTool } from '../servers/test-fixtures/test-servers.ts';
import { toolOptions } from './tool-options.ts';

it('distinguishes tools of the same name by their servers', () => {
  const servers = ['a', 'b'].map((id) => ({ id, tools: [testTool(id, 'read'), testTool(id, `only_${id}`)] }));
  expect(toolOptions(servers).map(({ label }) => label)).toEqual(['read (a)', 'only_a', 'read (b)', 'only_b']);
});
