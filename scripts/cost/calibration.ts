import { createHash } from 'node:crypto';

/**
 * A fixed amount of work of the kinds the tests do most: JSON, regular expressions, sorting, hashing, objects that are
 * thrown away. Machines differ by a factor of two or more; a cost divided by what this takes can be compared between
 * them. Never change it: the recorded budget is a multiple of it.
 */
function calibrationWork(): number {
  let checksum = 0;
  const rows = Array.from({ length: 2_000 }, (_, index) => ({
    id: `row-${String((index * 7_919) % 10_007)}`,
    text: `some text of row ${String(index)} with words, numbers ${String(index * 31)} and "quotes"`,
    nested: { list: [index, index + 1, index + 2], flag: index % 3 === 0 },
  }));
  for (let round = 0; round < 60; round += 1) {
    const copy = JSON.parse(JSON.stringify(rows)) as typeof rows;
    copy.sort((one, other) => (one.id < other.id ? -1 : 1));
    for (const { text } of copy) checksum += text.replaceAll(/(\w+) (\d+)/g, '$2 $1').length;
    const counts = new Map<string, number>();
    for (const { id } of copy) counts.set(id.slice(0, 6), (counts.get(id.slice(0, 6)) ?? 0) + 1);
    checksum += counts.size + createHash('sha256').update(JSON.stringify(copy)).digest().readUInt8(0);
  }
  return checksum;
}

if (import.meta.main) {
  calibrationWork();
  const { user, system } = process.cpuUsage();
  process.stdout.write(String((user + system) / 1e6));
}
