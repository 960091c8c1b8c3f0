import { CERTAIN, describeKilledWhileAsked, IN_FUNCTION } from './faults/killed-while-asked-cases.ts';

describeKilledWhileAsked({ certain: CERTAIN, inFunction: IN_FUNCTION });
