import { CERTAIN, describeKilledWhileAsked, IN_FUNCTION } from './faults/killed-while-asked-cases.ts';

/** The points that `npm test` has; `npm run test:long` has all. */
const SHORT = new Set(['run:parked', 'answer:committed']);

describeKilledWhileAsked({
  certain: CERTAIN.filter(([, place]) => SHORT.has(place)),
  inFunction: IN_FUNCTION.filter(([, place]) => place === 'run:sent'),
});
