import { expect, test } from 'vitest';
import { childEnvironment, networkSettings } from './child-environment.ts';

test('passes on proxies, certificates, registries, locale and folders, and no other variable', () => {
  const own = {
    HTTPS_PROXY: 'http://proxy.example:3128',
    no_proxy: 'localhost',
    NODE_EXTRA_CA_CERTS: '/etc/corp.pem',
    npm_config_registry: 'https://npm.example/',
    NPM_CONFIG_REGISTRY: 'https://upper.example/',
    UV_DEFAULT_INDEX: 'https://pypi.example/simple',
    LC_TIME: 'de_DE@euro',
    TZ: 'Asia/Taipei',
    XDG_CACHE_HOME: '/caches',
  };
  const secrets = { OPENAI_API_KEY: 'sk-1', DATABASE_URL: 'x', XDG_RUNTIME_DIR: '/run/1', DOCKER_HOST: 'unix:///d' };
  expect(childEnvironment({ ...own, ...secrets }, 'linux')).toEqual({ env: own, withheld: [] });
});

test.each(['http://ann:pw@proxy.example:3128', 'token@proxy.example', 'http://ann@proxy.example'])(
  'withholds a URL with credentials: %s',
  (value) => {
    expect(childEnvironment({ HTTP_PROXY: value, LANG: 'C' }, 'linux')).toEqual({
      env: { LANG: 'C' },
      withheld: ['HTTP_PROXY'],
    });
    expect(networkSettings({ HTTP_PROXY: value })[0]).toMatchObject({ name: 'HTTP_PROXY', hasCredentials: true });
    expect(networkSettings({ HTTP_PROXY: value })[0]?.value).not.toMatch(/ann|pw|token/);
  },
);

test("removes npm's additions from the start of PATH", () => {
  const added = ['/app/node_modules/.bin', '/node_modules/.bin', '/npm/lib/node-gyp-bin'];
  const own = ['/home/ann/bin', '/app/node_modules/.bin', '/usr/bin'];
  const path = [...added, ...own].join(':');
  expect(childEnvironment({ PATH: path, npm_lifecycle_event: 'start' }, 'linux').env['PATH']).toBe(own.join(':'));
  // Without npm such a folder is the user's own choice.
  expect(childEnvironment({ PATH: path }, 'linux').env['PATH']).toBe(path);
  const windows = 'C:\\app\\node_modules\\.bin;C:\\npm\\node-gyp-bin;C:\\Windows';
  expect(childEnvironment({ PATH: windows, npm_execpath: 'x' }, 'win32').env['PATH']).toBe('C:\\Windows');
});
