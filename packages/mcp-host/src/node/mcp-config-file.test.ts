import {
  chmodSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { needs, UNIX } from '@toolyard/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ServerEntry } from './mcp-config-file.ts';
import { McpConfigFile } from './mcp-config-file.ts';

let folder: string;
let path: string;
let file: McpConfigFile;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'toolyard-mcp-file-'));
  path = join(folder, 'mcp.json');
  file = new McpConfigFile({ path, env: {} });
});
afterEach(() => rmSync(folder, { recursive: true }));

const SWITCHES = {
  enabled: true,
  disabledTools: undefined,
  callTimeoutMs: undefined,
  connectTimeoutMs: undefined,
  processes: undefined,
  maxConcurrentCalls: undefined,
};

function program(command: string, more: Partial<ServerEntry> = {}): ServerEntry {
  return { transport: { type: 'stdio', command, args: [] }, ...SWITCHES, ...more };
}

const text = (): string => readFileSync(path, 'utf8');

const HANDWRITTEN = `{
    // what I use every day
    "mcpServers": {
        "files": {
            "command": "npx",
            "args": ["-y", "files"], // the folder comes later
            "env": {
                "KEY": "\${env:MY_KEY}", // never the key itself
                "MODE": "fast"
            },
            "color": "blue"
        },
        /* seldom */
        "docs": { "type": "streamable-http", "url": "https://docs.example/mcp", "icon": "book" },
    },
    "theme": "dark"
}
`;

describe('writing mcp.json', () => {
  it('rejects a duplicate server, and removes both of them', () => {
    const twice =
      '{\n  "mcpServers": {\n    "a": { "command": "x" },\n    "b": {},\n    "a": { "command": "y" }\n  }\n}\n';
    writeFileSync(path, twice);
    expect(() => file.write('a', program('z'))).toThrow(/"a" is defined more than once \(lines 3, 5\)/);
    expect(text()).toBe(twice);
    file.remove('a');
    expect(text()).toBe('{\n  "mcpServers": {\n    "b": {}\n  }\n}\n');
  });

  it('writes a hosted server and keeps its other settings', () => {
    const transport = { type: 'hosted', service: 'klavis', server: 'Gmail', apiKey: '${env:KEY}' } as const;
    const servers = (): unknown => (JSON.parse(text()) as { mcpServers: unknown }).mcpServers;
    file.write('mail', { transport: { ...transport, user: 'ann' }, ...SWITCHES });
    const { type: _, ...hosted } = transport;
    expect(servers()).toEqual({ mail: { hosted: { ...hosted, user: 'ann' } } });
    writeFileSync(path, text().replace('"ann"', '"ann", "color": "red"'));
    file.write('mail', { transport: { ...transport, server: 'Slack' }, ...SWITCHES });
    expect(servers()).toEqual({ mail: { hosted: { ...hosted, server: 'Slack', color: 'red' } } });
    file.write('mail', program('mail'));
    expect(servers()).toEqual({ mail: { command: 'mail' } });
    file.write('mail', { transport, ...SWITCHES });
    expect(servers()).toEqual({ mail: { hosted } });
  });

  it('creates the file readable for its owner only', () => {
    file.write('a', program('a', { transport: { type: 'stdio', command: 'a', args: ['-x'], env: { K: 'v' } } }));
    expect(text()).toBe(
      '{\n  "mcpServers": {\n    "a": {\n      "command": "a",\n      "args": ["-x"],\n      "env": {\n        "K": "v"\n      }\n    }\n  }\n}\n',
    );
    expect(statSync(path).mode & 0o777).toBe(process.platform === 'win32' ? 0o666 : 0o600);
    expect(file.entries()).toMatchObject([{ id: 'a', config: { transport: { command: 'a' } } }]);
  });

  it('creates the folder for its owner only', needs(UNIX), () => {
    const inner = join(folder, 'data', 'mcp.json');
    new McpConfigFile({ path: inner, env: {} }).write('a', program('a'));
    expect(statSync(join(folder, 'data')).mode & 0o777).toBe(0o700);
  });

  it('keeps unknown content', () => {
    writeFileSync(path, HANDWRITTEN);
    file.write('new', { transport: { type: 'sse', url: 'https://n.example/sse' }, ...SWITCHES });
    expect(text()).toBe(
      HANDWRITTEN.replace(
        '"icon": "book" },\n',
        '"icon": "book" },\n        "new": {\n            "type": "sse",\n            "url": "https://n.example/sse"\n        },\n',
      ),
    );
  });

  it('writes only what changed', () => {
    writeFileSync(path, HANDWRITTEN);
    const env = { KEY: '${env:MY_KEY}', MODE: 'slow' };
    const transport = { type: 'stdio' as const, command: 'npx', args: ['-y', 'files'], env };
    file.write('files', { transport, ...SWITCHES });
    expect(text()).toBe(HANDWRITTEN.replace('"fast"', '"slow"'));
    file.write('files', { transport: { ...transport, env: { KEY: env.KEY } }, ...SWITCHES });
    expect(text()).toBe(
      HANDWRITTEN.replace(
        '"KEY": "${env:MY_KEY}", // never the key itself\n                "MODE": "fast"',
        '"KEY": "${env:MY_KEY}" // never the key itself',
      ),
    );
    file.write('docs', { transport: { type: 'http', url: 'https://docs.example/mcp' }, ...SWITCHES });
    expect(text()).toContain(
      '"docs": { "type": "streamable-http", "url": "https://docs.example/mcp", "icon": "book" },',
    );
  });

  it('uses the existing keys to enable or disable servers and tools', () => {
    writeFileSync(
      path,
      '{"servers": {"a": {"command": "a", "enabled": false}, "b": {"command": "b", "disabled": true}, "c": {"command": "c"}}}',
    );
    file.write('a', program('a'));
    file.write('b', program('b', { callTimeoutMs: 5_000 }));
    file.write('c', program('c', { enabled: false, disabledTools: ['x'] }));
    expect(text()).toBe(
      '{"servers": {"a": {"command": "a", "enabled": true}, "b": {"command": "b", "disabled": false, "callTimeoutMs": 5000}, "c": {"command": "c", "disabled": true, "disabledTools": ["x"]}}}',
    );
  });

  it('writes concurrency limits and removes default values', () => {
    writeFileSync(path, '{"mcpServers": {"a": {"command": "a", "processes": "auto"}}}');
    file.write('a', program('a'));
    expect(text()).toBe('{"mcpServers": {"a": {"command": "a", "processes": "auto"}}}');
    file.write('a', program('a', { processes: 'one', maxConcurrentCalls: 2 }));
    expect(text()).toBe('{"mcpServers": {"a": {"command": "a", "processes": "one", "maxConcurrentCalls": 2}}}');
    file.write('a', program('a'));
    expect(text()).toBe('{"mcpServers": {"a": {"command": "a" }}}');
  });

  it('replaces a remote server by a local one without leftovers', () => {
    writeFileSync(
      path,
      '{"mcpServers": {"a": {"type": "http", "url": "https://a.example", "headers": {"K": "v"}, "note": 1}}}',
    );
    file.write('a', program('a'));
    expect(JSON.parse(text())).toEqual({ mcpServers: { a: { type: 'stdio', note: 1, command: 'a' } } });
  });

  it('removes a server and nothing else', () => {
    writeFileSync(path, HANDWRITTEN);
    file.remove('files');
    expect(text()).toBe(`{
    // what I use every day
    "mcpServers": {
        /* seldom */
        "docs": { "type": "streamable-http", "url": "https://docs.example/mcp", "icon": "book" },
    },
    "theme": "dark"
}
`);
    file.remove('docs');
    file.remove('none');
    expect(text()).toContain('/* seldom */');
    expect(file.entries()).toEqual([]);
  });

  it('keeps byte order mark and line endings, and removes access for other users', () => {
    writeFileSync(path, '\uFEFF{\r\n\t"mcpServers": {}\r\n}\r\n');
    if (process.platform !== 'win32') chmodSync(path, 0o640);
    file.write('a', program('a'));
    expect(text()).toBe('\uFEFF{\r\n\t"mcpServers": {\r\n\t\t"a": {\r\n\t\t\t"command": "a"\r\n\t\t}\r\n\t}\r\n}\r\n');
    if (process.platform !== 'win32') expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(['mcp.json']);
  });

  it('writes to the target of a symbolic link', needs(UNIX), () => {
    const real = join(folder, 'real.json');
    writeFileSync(real, '{}');
    symlinkSync(real, path);
    file.write('a', program('a'));
    expect(lstatSync(path).isSymbolicLink()).toBe(true);
    expect(readFileSync(real, 'utf8')).toContain('"command": "a"');
  });

  it('never overwrites a concurrent change of another program', () => {
    writeFileSync(path, '{"mcpServers": {}}');
    let times = 0;
    const racing = new McpConfigFile({
      path,
      env: {},
      failpoint: () => {
        if (times++ === 0) writeFileSync(path, '{"mcpServers": {"theirs": {"command": "t"}}, "more": true}');
      },
    });
    racing.write('mine', program('m'));
    expect(JSON.parse(text())).toEqual({
      mcpServers: { theirs: { command: 't' }, mine: { command: 'm' } },
      more: true,
    });
    const always = new McpConfigFile({
      path,
      env: {},
      failpoint: () => writeFileSync(path, `{"mcpServers": {}, "n": ${times++}}`),
    });
    expect(() => always.write('other', program('o'))).toThrow(/changed by another program/);
    expect(text()).not.toContain('other');
    expect(readdirSync(folder)).toEqual(['mcp.json']);
  });

  it('does not write while the file is invalid', () => {
    writeFileSync(path, '{"mcpServers": {"a": {"command": "a"}');
    expect(() => file.write('b', program('b'))).toThrow(/line 1, column \d+: .* Nothing was written/);
    expect(() => file.remove('a')).toThrow(expect.objectContaining({ code: 'conflict' }));
    expect(text()).toBe('{"mcpServers": {"a": {"command": "a"}');
  });
});
