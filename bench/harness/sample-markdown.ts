/** Sections of a long model answer, each different from the previous one. */
const SECTIONS: readonly ((number: number) => string)[] = [
  (n) => `## Part ${String(n)}: how it is put together

A request passes **three** stages, and each of them may \`refuse\` it. The first looks at its form, the second at who
sends it, the third at what it asks for; see [the overview](https://example.org/part/${String(n)}) for all of them.

`,
  (n) => `1. Read the settings, from the file and from the environment.
2. Open the database and bring its tables to version ${String(n)}.
   - A database of a newer version is refused, with the reason.
   - One that is damaged is *not touched*.
3. Answer requests until a signal comes.

`,
  (n) => `\`\`\`ts
export async function readAll(from: AsyncIterable<string>, limit = ${String(n * 100)}): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of from) {
    // A client that sends more than that is disconnected.
    if (lines.length >= limit) throw new RangeError(\`more than \${limit} lines\`);
    lines.push(line.trimEnd());
  }
  return lines;
}
\`\`\`

`,
  (n) => `| stage | takes | may fail with |
| --- | ---: | --- |
| form | ${String(n)} ms | \`bad_request\` |
| sender | ${String(n + 1)} ms | \`unauthorized\` |
| content | ${String(n + 2)} ms | \`not_found\`, \`conflict\` |

`,
  (
    n,
  ) => `> Decisions that are written down can be found later; those that are only discussed are lost by part ${String(n + 1)}.

`,
  (
    n,
  ) => `第 ${String(n)} 部分說明資料如何保存。每一次寫入都先落到磁碟，然後才告訴讀者；讀者斷線之後，從上一個編號接著讀，**不會遺漏，也不會重複**。

`,
  (
    n,
  ) => `Numbers alone say little: ${String(n * 7)} of ${String(n * 9)} requests were answered from memory, the others had to
wait for the disk, which took between ${String(n)} and ${String(n * 3)} milliseconds on a machine that did other things as well. None of
them was lost, and none was answered twice.

`,
];

/** Sections with formulas, tables, footnotes, alerts and details. */
const RICH_SECTIONS: readonly ((number: number) => string)[] = [
  (
    n,
  ) => `Let $x_${String(n)}$ be the load and \\(y = x_${String(n)}^2 + ${String(n)}\\) its cost[^n${String(n)}]; the price stays
between $${String(n)} and $${String(n + 5)}, as $HOME/$USER says [${String((n % 9) + 1)}]. Then $\\sum_{i=1}^{${String(n)}} x_i$ is *bounded*.

`,
  (n) => `$$
\\int_0^{${String(n)}} \\frac{x^2}{\\sqrt{1 + x}}\\,dx
- \\alpha_{${String(n)}} = \\beta
$$

`,
  (n) => `| term | value | error |
| --- | ---: | --- |
${Array.from({ length: 12 }, (_, row) => `| $a_{${String(row)}}$ | ${String(n * row)} | \`e${String(row)}\` [${String((row % 9) + 1)}] |`).join('\n')}

`,
  (n) => `> [!NOTE]
> The bound of part ${String(n)} is **not** tight.

<details>
<summary>Proof of part ${String(n)}</summary>

By induction over $n$, as in part ${String(n - 1)}.

</details>

[^n${String(n)}]: Measured in $\\mu s$, once.

`,
];

/** Markdown of exactly this many characters. */
export function sampleMarkdown(characters: number): string {
  return repeated(SECTIONS, characters);
}

/** The same with everything that answers can have beyond plain Markdown. */
export function richMarkdown(characters: number): string {
  return repeated(RICH_SECTIONS, characters);
}

function repeated(sections: readonly ((number: number) => string)[], characters: number): string {
  let text = '';
  for (let number = 1; text.length < characters; number++) text += sections[number % sections.length]?.(number) ?? '';
  return text.slice(0, characters);
}

/** Splits text into pieces of token length. */
export function splitTokens(text: string): string[] {
  return text.match(/[\s\S]{1,4}/g) ?? [];
}
