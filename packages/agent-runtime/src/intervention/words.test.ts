import { cases, fc } from '@toolyard/testing/property';
import { describe, expect, it } from 'vitest';
import { findDanger } from './blacklist.ts';
import { describeProgram, programOf } from './programs.ts';
import { isSecretPath } from './sensitive-paths.ts';
import * as names from './shell-names.ts';
import * as words from './words.ts';
import { holds, wordOf } from './words.ts';

const LISTED = Object.values(names).flatMap((list) => (list instanceof Set ? [...list] : []));

/** Names as they are listed, with versions and endings, and whatever else. */
const name = fc.oneof(
  fc.constantFrom(...LISTED),
  fc
    .tuple(fc.constantFrom(...LISTED, 'mkfs'), fc.constantFrom('', '3', '3.12', '.ext4', '.', '.exe', '-'))
    .map((all) => all.join('')),
  fc.string({ maxLength: 6 }),
);

const text = fc
  .array(
    fc.oneof(name, fc.constantFrom('/', '\0', '=', ' ', '*', '\u00a0', '\u3000', '\u212a', '$(', '~', '\\', '..')),
    { maxLength: 6 },
  )
  .map((all) => all.join(''));

describe('what is found once for a word', () => {
  it('is what every list says of its program', () => {
    fc.assert(
      fc.property(name, (called) => {
        expect(programOf(called)).toEqual(describeProgram(called));
      }),
      cases(3_000),
    );
  });

  it('leaves out no character', () => {
    const looked: [number, RegExp][] = [
      [words.OF_PLACES, /[./_ \\%*?[\0]/],
      [words.OF_PATTERNS, /[*?[]/],
      [words.OF_SCRIPTS, /[\s;|&<>`$(]/],
      [words.SLASH, /\//],
      [words.EQUALS, /=/],
      [words.OF_LISTS, /[\ue000-\ue002]/],
      [words.OF_WHOLE_PATHS, /[/\\~\0]|\.\./],
      [words.NOT_KNOWN, /\0/],
    ];
    fc.assert(
      fc.property(text, (said) => {
        const word = wordOf(said);
        for (const [characters, expression] of looked) {
          if (expression.test(said))
            expect([said, characters, holds(word, characters)]).toEqual([said, characters, true]);
        }
        if (!said.includes('\0')) expect(word.name).toBe(names.baseName(said));
      }),
      cases(5_000),
    );
  });
});

describe('a secret', () => {
  const SECRETS = [
    ...['.ssh/id_rsa', '.ssh/config', '.aws/credentials', '.gnupg/x', '.azure/x', '.password-store/x', '.kube/config'],
    ...[
      '.docker/config.json',
      '.config/gcloud/x',
      '.config/gcloud',
      '.config/gh/hosts.yml',
      '.config/op',
      '.config/rclone',
    ],
    ...[
      '.terraform.d/credentials',
      '.cargo/credentials',
      '.git/credentials',
      'Library/Keychains',
      '.local/share/keyrings',
    ],
    ...[
      'run/secrets',
      'run/docker.sock',
      '/etc/passwd',
      '/etc/shadow',
      '/etc/gshadow-',
      '/etc/sudoers',
      '/etc/sudoers.d/x',
    ],
    ...[
      '/etc/ssh/sshd_config',
      '/etc/ssh/ssh_host_rsa_key',
      '/proc/1/environ',
      '/proc/self/mem',
      '/dev/mem',
      '/dev/kmem',
    ],
    ...[
      'a/.env',
      'a/.envrc',
      'a/.env.local',
      'a/.netrc',
      'a/_netrc',
      'a/.npmrc',
      'a/.pypirc',
      'a/.pgpass',
      'a/.my.cnf',
    ],
    ...[
      'a/.git-credentials',
      'a/.vault-token',
      'a/.htpasswd',
      'a/.s3cfg',
      'a/.boto',
      'a/.zsh_history',
      'a/id_ed25519_sk',
    ],
    ...['a/key4.db', 'a/logins.json', 'a/cookies.sqlite', 'google-chrome/Default/Cookies', 'Chrome/Default/Web Data'],
    ...['Brave-Browser/a/b/Cookies', 'microsoft-edge/Web Data', 'opera/Cookies', 'vivaldi/a/Cookies', 'a/Login Data'],
    ...[
      'a/login.keychain',
      'a/login.keychain-db',
      'a/x.kdbx',
      '/e*c/shadow',
      '/etc/sh?dow',
      '.s?h/id_rsa',
      '/p*/self/environ',
    ],
  ];

  it.each(SECRETS)('is found by its path and from every folder on its way: %s', (path) => {
    const run = { name: 'run', onlyReads: false };
    const parts = path.split('/');
    for (const written of [path, path.toUpperCase(), parts.join('/./'), `x=${path}`]) {
      expect([written, isSecretPath(written, true)]).toEqual([written, true]);
    }
    for (let at = 1; at < parts.length; at++) {
      const command = `cd "${parts.slice(0, at).join('/') || '/'}" && cat "${parts.slice(at).join('/')}"`;
      expect([command, findDanger(run, { command })?.kind]).toEqual([command, 'forbidden']);
    }
  });
});
