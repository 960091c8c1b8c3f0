/**
 * Heights of many rows in a column. Changing one and finding the row at an offset take logarithmic time (a Fenwick
 * tree).
 */
export class HeightIndex {
  readonly #heights: number[] = [];
  /** `#sums[i]` is the sum of the last `i & -i` heights up to the i-th, counted from 1. */
  readonly #sums: number[] = [0];

  get length(): number {
    return this.#heights.length;
  }

  get total(): number {
    return this.getOffset(this.length);
  }

  at(index: number): number {
    return this.#heights[index] ?? 0;
  }

  /** Offset of a row; for the index after the last row, the total height. */
  getOffset(index: number): number {
    let offset = 0;
    for (let i = Math.min(index, this.length); i > 0; i -= i & -i) offset += this.#sums[i] ?? 0;
    return offset;
  }

  /** Index of the row at an offset, clamped to the first and last row; -1 without rows. */
  indexAt(offset: number): number {
    let index = 0;
    let rest = Math.max(0, offset);
    for (let step = 2 ** Math.floor(Math.log2(Math.max(1, this.length))); step >= 1; step /= 2) {
      const sum = this.#sums[index + step];
      if (sum === undefined || sum > rest) continue;
      index += step;
      rest -= sum;
    }
    return Math.min(index, this.length - 1);
  }

  set(index: number, height: number): void {
    const before = this.#heights[index];
    if (before === undefined || before === height) return;
    this.#heights[index] = height;
    for (let i = index + 1; i <= this.length; i += i & -i) this.#sums[i] = (this.#sums[i] ?? 0) + height - before;
  }

  push(height: number): void {
    this.#heights.push(height);
    const index = this.length;
    let sum = height;
    for (let step = 1; step < (index & -index); step *= 2) sum += this.#sums[index - step] ?? 0;
    this.#sums.push(sum);
  }

  truncate(length: number): void {
    this.#heights.length = Math.min(length, this.length);
    this.#sums.length = this.length + 1;
  }
}
