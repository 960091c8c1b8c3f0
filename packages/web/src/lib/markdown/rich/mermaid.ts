/** Mermaid; only ever imported by `import()`. */
import mermaid from 'mermaid';
import { withoutImages } from './diagram-source.ts';
import type { Drawn } from './safe-svg.ts';
import { safeSvg } from './safe-svg.ts';

/** A layout cannot be interrupted, so that what would block the page for seconds is not started. */
const MAX_CHARACTERS = 20_000;
const MAX_LINES = 500;
const MAX_EDGES = 300;

/** The text of all diagrams, and their titles. */
const FONT_PX = 14;
const TITLE_PX = 16;

let last: Promise<unknown> = Promise.resolve();
let count = 0;

/** Draws a diagram, one at a time. Throws with the reason if it is invalid or too large. */
export function drawDiagram(text: string, theme: 'light' | 'dark', signal: AbortSignal): Promise<Drawn> {
  const drawing = last.then(() => draw(text, theme, signal));
  last = drawing.catch(() => undefined);
  return drawing;
}

async function draw(source: string, theme: 'light' | 'dark', signal: AbortSignal): Promise<Drawn> {
  signal.throwIfAborted();
  const text = withoutImages(source);
  if (text.length > MAX_CHARACTERS || text.split('\n').length > MAX_LINES) {
    throw new Error(`more than ${String(MAX_CHARACTERS)} characters or ${String(MAX_LINES)} lines`);
  }
  mermaid.initialize(createConfig(theme));
  await mermaid.parse(text);
  // It measures text in the document. Content security policy and strict mode apply to what it inserts meanwhile.
  const place = document.createElement('div');
  place.setAttribute('aria-hidden', 'true');
  place.style.cssText = 'position:fixed;top:0;left:-10000px;width:1200px;visibility:hidden';
  document.body.append(place);
  try {
    count += 1;
    const { svg } = await mermaid.render(`toolyard-diagram-${String(count)}`, text, place);
    return safeSvg(svg);
  } finally {
    place.remove();
  }
}

function createConfig(theme: 'light' | 'dark'): Parameters<typeof mermaid.initialize>[0] {
  const style = getComputedStyle(document.documentElement);
  const color = (name: string): string => style.getPropertyValue(name).trim();
  const font = 'ui-sans-serif, system-ui, sans-serif';
  return {
    startOnLoad: false,
    securityLevel: 'strict',
    suppressErrorRendering: true,
    maxTextSize: MAX_CHARACTERS,
    maxEdges: MAX_EDGES,
    // SVG text: labels in HTML would need foreignObject.
    htmlLabels: false,
    // Each kind of diagram has sizes of its own, from 10 to 30 pixels.
    fontSize: FONT_PX,
    er: { fontSize: FONT_PX },
    gantt: { fontSize: FONT_PX, sectionFontSize: FONT_PX },
    journey: { titleFontSize: `${String(TITLE_PX)}px` },
    quadrantChart: {
      titleFontSize: TITLE_PX,
      quadrantLabelFontSize: FONT_PX,
      xAxisLabelFontSize: FONT_PX,
      yAxisLabelFontSize: FONT_PX,
      pointLabelFontSize: FONT_PX,
    },
    xyChart: { titleFontSize: TITLE_PX, xAxis: { titleFontSize: FONT_PX }, yAxis: { titleFontSize: FONT_PX } },
    flowchart: { htmlLabels: false },
    class: { htmlLabels: false },
    deterministicIds: true,
    fontFamily: font,
    theme: 'base',
    darkMode: theme === 'dark',
    themeVariables: {
      darkMode: theme === 'dark',
      fontFamily: font,
      fontSize: `${String(FONT_PX)}px`,
      pieTitleTextSize: `${String(TITLE_PX)}px`,
      pieSectionTextSize: `${String(FONT_PX)}px`,
      pieLegendTextSize: `${String(FONT_PX)}px`,
      commitLabelFontSize: `${String(FONT_PX)}px`,
      tagLabelFontSize: `${String(FONT_PX)}px`,
      background: color('--page'),
      primaryColor: color('--accent-soft'),
      primaryTextColor: color('--ink'),
      primaryBorderColor: color('--accent'),
      secondaryColor: color('--inset'),
      tertiaryColor: color('--side'),
      lineColor: color('--line-strong'),
      textColor: color('--ink'),
      noteBkgColor: color('--warn-soft'),
      noteTextColor: color('--ink'),
      noteBorderColor: color('--warn'),
      edgeLabelBackground: color('--side'),
    },
    // What a diagram may not change about itself.
    secure: [
      'secure',
      'securityLevel',
      'startOnLoad',
      'suppressErrorRendering',
      'maxTextSize',
      'maxEdges',
      'htmlLabels',
      'flowchart.htmlLabels',
      'class.htmlLabels',
      'fontFamily',
      'theme',
      'themeVariables',
      'themeCSS',
      'dompurifyConfig',
      'layout',
      'look',
    ],
  };
}
