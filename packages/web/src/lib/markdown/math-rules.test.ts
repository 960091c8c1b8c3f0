import { describe, expect, it } from 'vitest';
import { parseMarkdown } from './incremental.ts';

/** The formulas of the inline content of a text, in order. */
function formulas(text: string): string[] {
  const html = JSON.stringify(parseMarkdown(text));
  return [...html.matchAll(/<code class=\\"md-x-math[^>]*>(.*?)<\/code>/g)].map(([, tex = '']) =>
    tex.replaceAll('\\\\', '\\').replaceAll('&lt;', '<'),
  );
}

describe('formulas in text', () => {
  it.each([
    ['$x$', ['x']],
    ['Let $x$ be $y+1$.', ['x', 'y+1']],
    ['($x$), "$y$" and $z$-axis', ['x', 'y', 'z']],
    [String.raw`\(a^2\) and \(b_1\)`, ['a^2', 'b_1']],
    [String.raw`\[ c_1 * d_2 * e \] inside`, [' c_1 * d_2 * e ']],
    ['so $$x^2$$ holds', ['x^2']],
    ['設$x$為實數，則$x^2≥0$。', ['x', 'x^2≥0']],
    ['よって$a_1$と$a_2$は', ['a_1', 'a_2']],
    ['$5$ apples and $100,000$ in total', ['5', '100,000']],
    [String.raw`$x \text{ if it is positive}$`, [String.raw`x \text{ if it is positive}`]],
    [String.raw`$a = \$5$`, [String.raw`a = \$5`]],
    ['*$a*b$ and $c*d$*', ['a*b', 'c*d']],
    ['$a_1$ and $b_1$', ['a_1', 'b_1']],
    ['It costs $5, where $x$ is the price', ['x']],
    ['$a\nb$', [String.raw`a\nb`]],
    ['- item $x$\n- other $y$', ['x', 'y']],
    ['1. one\n\n   $$x$$ and $y$', ['x', 'y']],
    ['| a | b |\n|---|---|\n| $x$ | $5 and $6 |', ['x']],
    ['> quoted $x$', ['x']],
    ['# Heading $x$', ['x']],
    ['**$x$** and [$y$](https://example.org)', ['x', 'y']],
  ])('finds them in %j', (text, expected) => {
    expect(formulas(text)).toEqual(expected);
  });

  it.each([
    '$5 and $10',
    'costs $3-$4',
    'from $5 to $10 or 10$ to 20$',
    'US$5 and US$6, A$7 and C$8',
    'between $1,000/$2,000 per month',
    '價格是$5,另一個是$10',
    '約$5~$10元',
    '$5 for adults and 3$',
    '$20k or $30M (about 40$)',
    '$HOME/$USER',
    'echo $HOME and $USER',
    '$PATH:$HOME/bin:$',
    `${'$'}{HOME}/${'$'}{USER}`,
    '$(pwd)/$(ls)',
    'kill $$; echo $$',
    '/tmp/x.$$.log and /tmp/y.$$',
    'exit with $? or $#',
    '$ npm install\n$ npm test',
    String.raw`\$x\$ and \$5`,
    '`$x$`, ``\\(a\\)`` and `$$y$$`',
    '$x `$` y$',
    '```sh\necho $x$ $y$\n```',
    '    indented $x$',
    'unfinished $x^2 + ',
    'unfinished $$x^2',
    'unfinished \\(x^2',
    '$ x $',
    '$$ $$ and $$',
    'a$x$b',
    '$this is a sentence$ in dollars',
    String.raw`\[not a formula\] and \(some words, too\)`,
    '[a](https://example.org/$x$)',
  ])('finds none in %j', (text) => {
    expect(formulas(text)).toEqual([]);
  });
});

describe('formulas in lines of their own', () => {
  const block = (tex: string, open = false) => ({ type: 'math', tex, open });

  it.each([
    ['$$x$$', [block('x')]],
    ['$$\na\n- b\n+ c\n= d\n$$', [block('a\n- b\n+ c\n= d')]],
    [String.raw`\[ \frac{a}{b} \]`, [block(String.raw`\frac{a}{b}`)]],
    ['\\[\n# a\n\\].', [block('# a.')]],
    ['```math\nx^2\n```', [block('x^2')]],
    ['$$x$$\n\n$$y$$', [block('x'), block('y')]],
    ['$$', [block('', true)]],
    ['$$\nx + ', [block('x + ', true)]],
    ['\\[\nx *a* ', [block('x *a* ', true)]],
  ])('reads %j', (text, expected) => {
    expect(parseMarkdown(text)).toEqual(expected);
  });

  it('interrupts a paragraph, in lists and quotes too', () => {
    const paragraph = { type: 'paragraph', html: 'So:' };
    expect(parseMarkdown('So:\n$$\nx\n- y\n$$\nDone.')).toEqual([
      paragraph,
      block('x\n- y'),
      { type: 'paragraph', html: 'Done.' },
    ]);
    expect(parseMarkdown('> So:\n> $$\n> x\n> $$')).toEqual([
      { type: 'quote', alert: null, blocks: [paragraph, block('x')] },
    ]);
    expect(parseMarkdown('- So:\n  \\[\n  x\n  - y\n  \\]')).toMatchObject([
      { type: 'list', items: [{ blocks: [{ type: 'text', html: 'So:' }, block('x\n- y')] }] },
    ]);
  });

  it.each(['$$\nx\n\nand text', '$$ is the process id\n\nof a shell', String.raw`\[not a formula\]`, '$$ $$'])(
    'reads %j as text',
    (text) => {
      expect(parseMarkdown(text)[0]?.type).toBe('paragraph');
    },
  );
});

it('escapes the tags of a formula', () => {
  expect(parseMarkdown('$a<b onclick=x>c$')).toEqual([
    { type: 'paragraph', html: '<code class="md-x-math">a&lt;b onclick=x&gt;c</code>' },
  ]);
});

it('reads thousands of dollars in linear time', () => {
  for (const text of ['$a '.repeat(20_000), '$$ '.repeat(20_000), '\\('.repeat(20_000), '$a$'.repeat(20_000)]) {
    expect(parseMarkdown(text).length).toBeGreaterThan(0);
  }
});
