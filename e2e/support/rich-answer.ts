import type { ModelReply } from '@toolyard/testing';
import { reply } from '@toolyard/testing';

/** Every kind of content that an answer can have beyond plain Markdown. */
export const RICH_ANSWER = String.raw`## Rich answer

The area is $\pi r^2$ and costs $5 to $10[^area]. 設$x$為實數，echo $HOME/$USER. In brackets: \(a^2 + b^2\). Rain [1] and wind [2].

$$
\int_0^1 \frac{x^2}{\sqrt{1 - x}}\,dx
= \frac{16}{15}
$$

Invalid: $\notacommand{x}$ here.

> [!WARNING]
> Do **not** unplug it.

> [!TIP]
> Read the manual.

<details>
<summary>Further **details**</summary>

Hidden text with ${'`'}code${'`'}.

</details>

| City | Population | Founded |
|---|---:|---|
| Berlin | 3,700,000 | 1237 |
| Oslo | 709,000 | 1048 |
| Taipei | 2,600,000 | 1709 |
| =1+1 | 1,000 | 1900 |

| a wide table | with many columns | that do not fit | into the width | of the chat | at all | and so on | and so forth |
|---|---|---|---|---|---|---|---|
| one two three | four five six | seven eight nine | ten eleven twelve | thirteen | fourteen | fifteen sixteen | seventeen |

${'```'}ts
const answer: number = 42; // a comment
export const wide = 'a long line: ${'x'.repeat(120)}';
${'```'}

${'```'}mermaid
flowchart LR
  accTitle: How a request travels
  A[Browser] --> B{Cached?}
  B -- yes --> C[Answer]
  B -- no --> D[(Database)] --> C
${'```'}

مرحبا بالعالم: (1) [ملاحظة]

- أول بند
- second item!

| اسم | قيمة |
|---|---|
| أ | 2 |

[^area]: Area of a circle with the radius *r*.
`;

/** What must execute nothing and request nothing. */
const HOSTILE_ANSWER = String.raw`## Hostile <img src=x onerror="pwned=1"><script>pwned=1</script>

![pixel](https://evil.example/pixel.png) [link](javascript:pwned=1) <svg onload="pwned=1"></svg>

$\href{javascript:pwned=1}{x}$ $\includegraphics{https://evil.example/k.png}$ $\htmlStyle{background:url(https://evil.example/s.png)}{x}$ $\text{<img src=x onerror=pwned=1>}$ $\def\a{\a\a}\a$

$$<img src=https://evil.example/d.png onerror=pwned=1>$$

> [!NOTE]
> <img src=https://evil.example/a.png onerror=pwned=1>

<details ontoggle=pwned=1 open><summary><img src=https://evil.example/b.png></summary></details>

<details open><summary><img src=https://evil.example/c.png onerror=pwned=1></summary>

inside

</details>

| <img src=https://evil.example/t.png onerror=pwned=1> | [x](javascript:pwned=1) |
|---|---|
| <b onclick=pwned=1>b</b> | ![t](https://evil.example/u.png) |
| =HYPERLINK("https://evil.example") | 2 |

Note[^1] and <i onmouseover=pwned=1>this</i>, source [1] and [2].

${'```'}mermaid
%%{init: {"securityLevel": "loose", "htmlLabels": true, "flowchart": {"htmlLabels": true}, "themeCSS": "* { background: url(https://evil.example/m.png) }"}}%%
flowchart LR
  A["<img src=https://evil.example/l.png onerror=pwned=1>hostile"] --> B
  click A href "javascript:pwned=1"
  classDef bad fill:#fcc
  class B bad
${'```'}

${'```'}mermaid
flowchart LR
  A -->
${'```'}

${'```'}svg
<svg xmlns="http://www.w3.org/2000/svg" onload="pwned=1"><image href="https://evil.example/i.png"/></svg>
${'```'}

[^1]: <img src=https://evil.example/n.png onerror=pwned=1> [x](javascript:pwned=1)
`;

const RICH_SOURCES = [
  { url: 'https://weather.example.org/rain', title: 'Rain report' },
  { url: 'https://wind.example.net/', title: 'Wind <b>report</b>' },
];
const HOSTILE_SOURCES = [
  { url: 'javascript:pwned=1', title: '<img src=https://evil.example/c.png onerror=pwned=1>' },
  { url: 'https://good.example/"onmouseover="pwned=1', title: '"><script>pwned=1</script>' },
];

type Options = { hold?: { behind: number; until: Promise<unknown> } };

/** Streams {@link RICH_ANSWER}, with its sources. */
export function richReply(options: Options = {}): ModelReply {
  return withSources(RICH_ANSWER, RICH_SOURCES, options);
}

/** Streams {@link HOSTILE_ANSWER}, with its sources. */
export function hostileReply(): ModelReply {
  return withSources(HOSTILE_ANSWER, HOSTILE_SOURCES, {});
}

/** Length of a delta in characters. */
export const RICH_PIECE = 12;

function withSources(text: string, sources: readonly { url: string; title: string }[], options: Options): ModelReply {
  const pieces = text.match(new RegExp(`[^]{1,${String(RICH_PIECE)}}`, 'g')) ?? [];
  const annotations = sources.map((source) => ({ type: 'url_citation', url_citation: source }));
  const chunk = (delta: object, finish: string | null = null) => ({
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta: { ...delta }, finish_reason: finish }],
  });
  return reply.events(
    [...pieces.map((content) => chunk({ content })), chunk({ annotations }), chunk({}, 'stop'), '[DONE]'],
    options,
  );
}
