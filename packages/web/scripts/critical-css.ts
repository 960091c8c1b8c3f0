type Rule = { prelude: string; body: string | null };

const GROUP = /^@(?:layer|media|supports|container)\b/;

/**
 * The part of a minified stylesheet that applies to `html`: rules whose classes all occur in it, and those without a
 * class. The order of the layers stays.
 */
export function criticalCss(css: string, html: string): string {
  const classes = new Set(
    [...html.matchAll(/\sclass="([^"]*)"|\.className = '([^']*)'/g)].flatMap(([, names, added = '']) =>
      (names ?? added).split(/\s+/),
    ),
  );
  const rules = rulesIn(css);
  const kept = keep(rules, classes);
  const properties = rules.filter(({ prelude }) => {
    const [, name] = /^@property (--[\w-]+)/.exec(prelude) ?? [];
    return name !== undefined && kept.includes(`var(${name}`);
  });
  return kept + properties.map(toText).join('');
}

function keep(rules: readonly Rule[], classes: ReadonlySet<string>): string {
  return rules
    .map((rule) => {
      const { prelude, body } = rule;
      if (body === null) return toText(rule);
      if (GROUP.test(prelude)) {
        const inner = keep(rulesIn(body), classes);
        if (inner !== '') return `${prelude}{${inner}}`;
        return /^@layer [\w.-]+$/.test(prelude) ? `${prelude};` : '';
      }
      return !prelude.startsWith('@') && applies(prelude, classes) ? toText(rule) : '';
    })
    .join('');
}

/** Whether one of the selectors names no other class than these. */
function applies(selectors: string, classes: ReadonlySet<string>): boolean {
  return selectors
    .split(/(?<!\\),(?![^(]*\))/)
    .some((selector) =>
      [...selector.matchAll(/\.((?:\\.|[\w-])+)/g)].every(([, name = '']) => classes.has(name.replace(/\\(.)/g, '$1'))),
    );
}

function toText({ prelude, body }: Rule): string {
  return body === null ? `${prelude};` : `${prelude}{${body}}`;
}

/** The outer rules. */
function rulesIn(css: string): Rule[] {
  const rules: Rule[] = [];
  let depth = 0;
  let start = 0;
  let open = 0;
  // Comments, strings and escaped characters contain no rules.
  for (const { 0: token, index } of css.matchAll(/\/\*[^]*?\*\/|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|\\.|[{};]/g)) {
    if (token.startsWith('/*') && depth === 0) start = index + token.length;
    else if (token === '{') {
      if (depth === 0) open = index;
      depth += 1;
    } else if (token === '}') {
      depth -= 1;
      if (depth > 0) continue;
      rules.push({ prelude: css.slice(start, open).trim(), body: css.slice(open + 1, index) });
      start = index + 1;
    } else if (token === ';' && depth === 0) {
      rules.push({ prelude: css.slice(start, index).trim(), body: null });
      start = index + 1;
    }
  }
  return rules;
}
