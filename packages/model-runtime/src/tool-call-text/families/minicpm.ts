import type { Family } from '../core/family.ts';
import { eachArgument, toXmlText } from '../core/writing.ts';
import { tagCalls } from '../readers/tag-calls.ts';

const read = tagCalls(
  {
    call: /^<function\sname=["']([^"'>]*)["']\s*>$/,
    callStart: '<function name=',
    callEnd: '</function>',
    parameter: /^<param\sname=["']([^"'>]*)["']\s*>$/,
    parameterStart: '<param ',
    parameterEnd: '</param>',
    wrapperEnds: [],
    xml: true,
  },
  'from_marker',
);

/** `<function name="f"><param name="k">v</param></function>`, values in CDATA or with entities: MiniCPM5. */
export const minicpm5: Family = {
  openings: [{ marker: '<function name=', read }],
  write: (calls) =>
    calls
      .map(({ name, arguments: args }) => {
        const params = eachArgument(args, (key, value) => `<param name="${key}">${toXmlText(value)}</param>`);
        return `<function name="${name}">${params}</function>`;
      })
      .join('\n'),
};
