import { cases, fc } from '@toolyard/testing/property';
import type { InterventionRule, JsonObject, JsonValue } from '@toolyard/protocol';
import { describe, expect, it } from 'vitest';
import { findDanger } from './blacklist.ts';
import type { CallContext } from './call-facts.ts';
import { CallFacts } from './call-facts.ts';
import { compileRules } from './rules.ts';

const HINTS = { readOnly: false, destructive: true };
const FOLDER = '/home/anna/notes';

function decided(rule: InterventionRule, args: JsonObject, context: CallContext = {}): string | undefined {
  return compileRules([rule])(new CallFacts({ serverId: 'desk', name: 'use' }, args, context), HINTS);
}

/** Spellings in which servers still find the same word. */
const respelled = (text: string): fc.Arbitrary<string> =>
  fc
    .tuple(
      ...Array.from(text, (letter) =>
        fc.constantFrom(
          letter,
          letter.toUpperCase(),
          ...(/[!-~]/.test(letter) ? [String.fromCodePoint(letter.charCodeAt(0) + 0xfee0)] : []),
          `${letter}\u200b`,
          `\u00ad${letter}`,
          `%${letter.charCodeAt(0).toString(16)}`,
          `%25${letter.charCodeAt(0).toString(16)}`,
        ),
      ),
    )
    .map((letters) => letters.join(''));

/** Places in a call where a text may be. */
const placed = (text: string): fc.Arbitrary<JsonObject> =>
  fc.constantFrom<JsonObject>(
    { to: text },
    { message: { recipients: ['b@x.org', text] } },
    { note: `Anna <${text}>, please` },
    { lines: `first\n${text}\nlast` },
    { [text]: true },
    { body: JSON.stringify({ inner: text }) },
  );

describe('a rule that forbids', () => {
  it('finds an argument in every spelling and place', () => {
    const rule: InterventionRule = { decision: 'never', argument: '*@example.com' };
    const texts = respelled('a@example.com').chain((text) => placed(text));
    fc.assert(
      fc.property(texts, (args) => {
        expect([args, decided(rule, args)]).toEqual([args, 'never']);
      }),
      cases(300),
    );
  });

  it('matches whatever an allowing rule of the same pattern matches', () => {
    const text = fc.array(fc.constantFrom('a', 'B', '1', '@', '.', '/', '%41', '\u0301', 'é', '\u200b', ' ', '\n'), {
      maxLength: 6,
    });
    const pattern = fc.array(fc.constantFrom('*', '?', 'a', 'B', '@', 'é', '.', '%41'), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(pattern, fc.array(text, { minLength: 1, maxLength: 3 }), (parts, texts) => {
        const argument = parts.join('');
        const args = Object.fromEntries(texts.map((each, at) => [`f${at}`, each.join('')]));
        if (decided({ decision: 'allow', argument }, args) === 'allow')
          expect([args, decided({ decision: 'ask', argument }, args)]).toEqual([args, 'ask']);
      }),
      cases(2_000),
    );
  });

  it('matches whatever an allowing rule of the same command or host matches', () => {
    const words = fc.array(
      fc.constantFrom(
        'git',
        'rm',
        'status',
        '-m',
        "'x'",
        'a\\ b',
        '"rm"',
        'r\\m',
        '&&',
        '|',
        '>/dev/null',
        '{a,b}',
        'é',
      ),
      { minLength: 1, maxLength: 4 },
    );
    const command = fc.constantFrom('git *', 'rm *', '*', 'g?t *', '* x', 'git', '*rm*');
    const host = fc.constantFrom('a.b', '*.b', 'a.?', '1.2.*', '[::1]', 'xn--*', 'bücher.example', '*.*', 'A.b');
    const url = fc.constantFrom(
      ...['http://a.b/', 'https://A.B:80/x', 'http://1.2.3.4', 'http://[::1]/', 'https://xn--bcher-kva.example/'],
    );
    fc.assert(
      fc.property(words, command, host, url, (all, pattern, name, x) => {
        const [first = '', ...args] = all;
        const calls: JsonObject[] = [{ command: all.join(' ') }, { x: all.join(' ') }, { command: first, args }];
        for (const call of calls)
          if (decided({ decision: 'allow', command: pattern }, call) === 'allow')
            expect([call, decided({ decision: 'ask', command: pattern }, call)]).toEqual([call, 'ask']);
        if (decided({ decision: 'allow', host: name }, { x }) === 'allow')
          expect([x, decided({ decision: 'ask', host: name }, { x })]).toEqual([x, 'ask']);
      }),
      cases(1_000),
    );
  });

  it.each([
    '/home/bob',
    '$HOME/x',
    '%USERPROFILE%\\x',
    '%2fhome%2fbob',
    '／home／bob',
    `${FOLDER}/．．/x`,
    `${FOLDER}/..\u200b/x`,
  ])('finds a path outside a folder: %s', (path) => {
    for (const args of [{ path }, { x: [path] }, { x: JSON.stringify({ path }) }] as JsonObject[])
      expect([args, decided({ decision: 'ask', outside: FOLDER }, args)]).toEqual([args, 'ask']);
  });

  it('leaves other words alone', () => {
    expect(decided({ decision: 'never', argument: '3' }, { count: 13, year: '2023' })).toBeUndefined();
    expect(decided({ decision: 'never', argument: 'id' }, { width: 'hidden' })).toBeUndefined();
    expect(decided({ decision: 'never', argument: 'drop table*' }, { x: 'DROP\t TABLE users' })).toBe('never');
    expect(decided({ decision: 'never', argument: 'secret plan' }, { x: `echo se'cret' pl\\an` })).toBe('never');
  });

  const name = respelled('a.internal');
  const urls = fc
    .tuple(
      fc.constantFrom(
        'http://',
        'HTTPS://',
        'ws://',
        'ftp://',
        'x-app+1://',
        '//',
        '',
        'http:',
        'http:\\\\',
        'mailto:x@',
      ),
      fc.constantFrom('', 'user@', 'u:p@', 'b.example:80@'),
      name,
      fc.constantFrom('', '.', ':8080', '.:80', '/x', '?q', '#f', '\\@b.example/', '/../..'),
    )
    .map((parts) => parts.join(''));

  it('finds a host in every spelling', () => {
    for (const host of ['*.internal', 'a.internal', 'A.INTERNAL']) {
      fc.assert(
        fc.property(
          urls.chain((url) => placed(url)),
          (args) => {
            expect([args, decided({ decision: 'never', host }, args)]).toEqual([args, 'never']);
          },
        ),
        cases(200),
      );
    }
  });

  it.each<[string, JsonValue]>([
    ['127.0.0.1', 'http://2130706433/'],
    ['127.0.0.1', 'http://0x7f.1/'],
    ['127.0.0.1', 'http://[::ffff:127.0.0.1]/'],
    ['127.0.0.1', ['curl', '127.1:80']],
    ['::1', 'http://[0:0:0:0:0:0:0:1]:80/'],
    ['[fd00::1]', 'fd00:0::1'],
    ['fe80::1', 'http://[fe80::1%25eth0]/'],
    ['bücher.example', 'https://xn--bcher-kva.example/'],
    ['xn--bcher-kva.example', 'BÜCHER.example'],
    ['127.0.0.1', 'http://[64:ff9b::7f00:1]/'],
    ['*.internal', 'http://a。internal/'],
    ['*.internal', 'http://a.int\ternal/'],
    ['*.internal', "curl http://a.int''ernal"],
  ])('finds %s in %j', (host, x) => {
    expect(decided({ decision: 'never', host }, { x })).toBe('never');
  });

  it('takes a bare word for a host only where the pattern or the field says so', () => {
    expect(
      decided({ decision: 'ask', host: '*' }, { path: 'src/index.ts', text: 'Good day. All is well.' }),
    ).toBeUndefined();
    for (const args of [{ hostname: 'intranet' }, { host: '10.0.0.1' }, { domain: 'x' }, { url: 'x' }, { a: '//x/y' }])
      expect([args, decided({ decision: 'ask', host: '*' }, args)]).toEqual([args, 'ask']);
    expect(
      decided({ decision: 'never', host: 'a.internal' }, { url: 'https://b.a.internal.example/' }),
    ).toBeUndefined();
  });

  it.each([
    ...['hash -p /bin/rm z; z x', 'tmux new -d "rm x"', 'concurrently "ls" "rm x"', 'hyperfine -r 1 "rm x"', 'RM x'],
    ...['fzf --preview "rm x"', 'less "+!rm x" a', 'less "|rm x"', 'cp /usr/bin/rm z && ./z x', 'ln -s /bin/rm ./z'],
    ...[`vim -c ':!rm x' a`, `awk 'BEGIN{system("rm x")}'`, `python3 -c "import os; os.system('rm x')"`],
    ...[`python3 -c "import subprocess as s; s.run(['rm', 'x'])"`, 'entr -s "rm x"', 'some-tool --on-change="rm x"'],
    ...['unknown --then "cd a && rm x"', 'screen -dmS a sh -c "rm x"', 'watchexec -- "rm x"', 'tar --x="rm x" -f a'],
  ])('finds a command that another program is given: %s', (command) => {
    expect(decided({ decision: 'never', command: 'rm *' }, { command })).toBe('never');
  });

  it.each([
    ...['git commit -m "rm x"', 'grep -rn "rm x" docs', 'echo "rm x"', 'man rm', 'ls -l /bin/rm', 'file firm'],
    ...['gh pr create --title "rm x"', 'docker run --rm alpine', 'npm run build -- --rm', 'cat rm.txt "my rm.txt"'],
  ])('does not take a mention for a command: %s', (command) => {
    expect(decided({ decision: 'never', command: 'rm *' }, { command })).toBeUndefined();
  });
});

describe('a rule that allows a host', () => {
  it.each([
    ...['http://example.com\\@evil.example/', 'http:example.com', 'http:/example.com/', 'https:///example.com/'],
    ...['http://user@example.com/', 'http://example.com./', 'http://exam%70le.com/', 'http://example。com/'],
    ...['http://example.com/\u0000', ' http://example.com/', 'http://example.com/a b', 'http://exam\tple.com/'],
    ...['http://example.com/\nhttp://evil.example/', 'http://ｅxample.com/', 'http://example.com:80@evil.example/'],
    ...['//example.com/', 'ws://example.com/', 'http://example.com:/', 'http://example.com/?u=//evil.example'],
  ])('does not match %j', (url) => {
    expect(decided({ decision: 'allow', host: 'example.com' }, { url })).toBeUndefined();
  });

  it('matches plain URLs of any length and accounts for names', () => {
    for (const url of ['http://example.com', 'HTTPS://EXAMPLE.com:8443/a/b?c=d/e#f', 'https://example.com?q=ü'])
      expect([url, decided({ decision: 'allow', host: 'example.com' }, { url })]).toEqual([url, 'allow']);
    const args = { url: 'https://example.com', headers: { 'http://evil.example/': 'https://example.com' } };
    expect(decided({ decision: 'allow', host: 'example.com' }, args)).toBeUndefined();
    expect(decided({ decision: 'allow', host: '[::1]' }, { url: 'http://[::1]:80/' })).toBe('allow');
    expect(decided({ decision: 'allow', host: '127.0.0.1' }, { url: 'http://2130706433/' })).toBeUndefined();
  });
});

describe('a rule that allows arguments', () => {
  it.each([
    '/srv/../etc/x',
    '/srv/%2e%2e/etc/x',
    '/srv/%252e%252e%252fetc',
    '/srv\\..\\etc',
    '/srv/a\n/etc/x',
    '/srv/．．/etc',
  ])('does not match %j', (path) => {
    expect(decided({ decision: 'allow', argument: '/srv*' }, { path })).toBeUndefined();
  });

  it('accounts for names that are more than names', () => {
    expect(decided({ decision: 'allow', argument: '/srv/*' }, { files: { '/etc/x': '/srv/a' } })).toBeUndefined();
    expect(decided({ decision: 'allow', argument: '/srv/*' }, { files: { '/srv/x': '/srv/a' } })).toBe('allow');
  });
});

describe('a rule that allows a folder', () => {
  const allow: InterventionRule = { decision: 'allow', inside: FOLDER };
  const away = fc.constantFrom(
    ...[
      '/home/bob/x',
      '../../bob/x',
      'a/../../x',
      '..',
      '..\\x',
      '~/x',
      '~bob/x',
      'C:\\x',
      'c:/x',
      '%2e%2e%2fx',
      '%2fetc',
    ],
    ...[
      'file:///home/bob/x',
      'http://evil.example/',
      'http:evil.example',
      's3://bucket/x',
      '\\\\host\\share',
      '%252e%252e/x',
    ],
    ...['`pwd`/x', 'c:x', 'C:', '／home／bob', '‥/x', '.\u00ad./x', `${FOLDER}/..\u200b/x`, '@/home/bob/x'],
    ...['-o/home/bob', '--out=/home/bob/x', '"/home/bob/x"', '<>/home/bob'],
    ...['．．/x', `${FOLDER}\n/home/bob/x`, `${FOLDER}/a, /home/bob/x`, `${FOLDER}/a:/home/bob`, 'a\n../x'],
  );
  const anyName = fc.constantFrom(
    ...['name', 'title', 'query', 'search', 'label', 'author', 'topic', 'subject', 'message', 'text', 'new_string'],
    ...['language', 'x', 'to', 'target', 'folder2', 'content', 'url', 'ref', 'Zweck', 'id'],
  );
  const hidden = (text: string, name: string): fc.Arbitrary<JsonObject> =>
    fc.constantFrom<JsonObject>(
      { [name]: text },
      { options: { [name]: text } },
      { list: [{ ok: 'yes' }, { [name]: text }] },
      { [name]: ['a', text] },
      { edits: { [text]: 'a' } },
      { data: JSON.stringify({ [name]: text }) },
    );

  it('checks every text of the call', () => {
    const calls = fc.tuple(away, anyName).chain(([text, name]) => hidden(text, name));
    fc.assert(
      fc.property(calls, fc.constantFrom('path', 'dir', 'folder', 'file'), (more, place) => {
        const args = { ...more, [place]: FOLDER };
        expect([args, decided(allow, args)]).toEqual([args, undefined]);
      }),
      cases(500),
    );
  });

  it('joins a short text with the folder of the call', () => {
    const resolvePath = (path: string): string => path.replace(`${FOLDER}/link`, '/home/bob');
    for (const args of [
      { dir: FOLDER, name: 'link' },
      { folder: FOLDER, title: 'link/x' },
      { path: FOLDER, x: ['link'] },
    ])
      expect([args, decided(allow, args, { resolvePath })]).toEqual([args, undefined]);
    const composed = (path: string): string => path.replace(`${FOLDER}/caf\u00e9`, '/home/bob');
    expect(decided(allow, { path: `${FOLDER}/cafe\u0301/x` }, { resolvePath: composed })).toBeUndefined();
    expect(decided(allow, { dir: FOLDER, name: 'a.md', title: 'A/B and C' }, { resolvePath })).toBe('allow');
  });

  it('ignores what the schema declares as content, and nothing else', () => {
    const text = { type: 'string' };
    const inputSchema = { type: 'object', properties: { path: text, content: text, title: text } };
    const content = 'see https://example.com and ../x\n/etc/hosts';
    expect(decided(allow, { path: `${FOLDER}/a`, content }, { inputSchema })).toBe('allow');
    expect(decided(allow, { path: `${FOLDER}/a`, content })).toBeUndefined();
    expect(decided(allow, { path: `${FOLDER}/a`, title: '/home/bob/x' }, { inputSchema })).toBeUndefined();
    expect(decided(allow, { path: `${FOLDER}/a`, text: '/home/bob/x' }, { inputSchema })).toBeUndefined();
  });

  it('says nothing about programs', () => {
    for (const command of ['make', `ls ${FOLDER} && make`, `find ${FOLDER} -exec id ;`, `cat ${FOLDER}/a`]) {
      expect([command, decided(allow, { command })]).toEqual([command, undefined]);
      expect([command, decided(allow, { path: FOLDER, command })]).toEqual([command, undefined]);
    }
    expect(decided(allow, { command: 'cat', args: [`${FOLDER}/a`] })).toBeUndefined();
    const both: InterventionRule = { ...allow, command: 'cat *' };
    expect(decided(both, { command: `cat ${FOLDER}/a` })).toBe('allow');
    expect(decided(both, { command: 'cat /home/bob/a' })).toBeUndefined();
    expect(decided(both, { command: `cat ${FOLDER}/a; make` })).toBeUndefined();
  });
});

describe('a rule that allows a command', () => {
  const runs = (command: string, pattern = 'git *'): boolean => {
    const facts = new CallFacts({ serverId: 'shell', name: 'run' }, { command });
    return (
      compileRules([{ decision: 'allow', command: pattern }])(facts, HINTS) === 'allow' &&
      findDanger(facts, false) === undefined
    );
  };

  it.each([
    ...[
      'git --exec-path=/x status',
      'git -C /x status',
      'git --git-dir=/x log',
      'git --work-tree=/ add .',
      'git -p log',
    ],
    ...[
      'git init --template=/x',
      'git init --separate-git-dir=/x',
      'git clone -c core.fsmonitor=x u',
      'git clone u /x',
    ],
    ...['git clone --config core.fsmonitor=x u', 'git clone ../u', 'git diff --output=x', 'git diff --no-index a /x'],
    ...['git log --ext-diff', 'git show --textconv', 'git grep -Oless x', 'git grep --open-files-in-pager=x y'],
    ...[
      'git fetch --upload-pack=x',
      'git ls-remote ext::x',
      'git push --receive-pack=x',
      'git rebase -x make',
      'git mytool',
    ],
    ...[
      'git rebase --exec=make',
      'git bisect run make',
      'git submodule foreach make',
      'git difftool -x make',
      'git svn',
    ],
    ...[
      'git archive -o /x HEAD',
      'git format-patch -o /x',
      'git bundle create x',
      'git config alias.z "!x"',
      'git hook run x',
    ],
    ...['git config core.editor x', 'git remote add x ext::y', 'git maintenance start', 'git help -w x', 'git apply x'],
    ...[
      'git worktree add ../x',
      'git send-email --smtp-server=/x',
      'git commit -F /x',
      'git instaweb --httpd=x',
      'git am x',
    ],
    ...[
      'git archive --output=x HEAD',
      'git checkout-index --prefix=/x -a',
      'git fast-import',
      'git p4',
      'git var GIT_EDITOR',
    ],
  ])('does not cover what runs programs or writes elsewhere: %s', (command) => {
    expect(runs(command)).toBe(false);
  });

  it.each([
    ...[
      'git status',
      'git log --oneline -5',
      "git log --format='%h %s' main..HEAD",
      'git diff --stat HEAD~1 -- src/a.ts',
    ],
    ...[
      'git add -A',
      'git commit -m "fix: a/b"',
      'git push origin main',
      'git clone https://example.com/u/r.git',
      'git pull',
    ],
    ...[
      'git checkout -b x',
      'git stash',
      'git show HEAD:src/a.ts',
      'git blame -L 1,5 a.ts',
      'git remote -v',
      'git --version',
    ],
  ])('covers daily work: %s', (command) => {
    expect(runs(command)).toBe(true);
  });

  it('checks every text of the call', () => {
    const rule: InterventionRule = { decision: 'allow', command: 'git *' };
    const split = { command: 'git', args: ['status'] };
    expect(decided(rule, split)).toBe('allow');
    for (const more of [{ then: 'rm x' }, { then: 'rm' }, { sql: 'git log' }] as JsonObject[])
      expect([more, decided(rule, { ...split, ...more })]).toEqual([more, undefined]);
  });

  it('covers an option that it names', () => {
    expect(runs('git diff --output=x', 'git diff --output=*')).toBe(true);
    expect(runs('sort -o x y', 'sort *')).toBe(false);
    expect(runs('grep -o x y', 'grep *')).toBe(true);
    expect(runs('npm test -- --reporter=dot', 'npm test*')).toBe(true);
  });
});
