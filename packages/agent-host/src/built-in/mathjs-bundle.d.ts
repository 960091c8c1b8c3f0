/** The build of mathjs in one file: the package's other entries load a thousand files, which takes seconds. */
declare module 'mathjs/lib/browser/math.js' {
  import type { MathJsInstance } from 'mathjs';

  type Configured = MathJsInstance & {
    BigNumber: { config(options: { maxE: number; minE: number }): unknown };
  };
  const mathjs: { create(options: { number: 'BigNumber'; precision: number }): Configured };
  export default mathjs;
}
