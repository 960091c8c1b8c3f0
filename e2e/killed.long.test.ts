import { describeKilledArtifact } from './faults/killed-artifact-cases.ts';
import { CERTAIN, describeKilled, IN_DOUBT } from './faults/killed-cases.ts';

describeKilled({ certain: CERTAIN, inDoubt: IN_DOUBT.map((each) => [each, ['repeat', 'failed', 'result']]) });
describeKilledArtifact(['run:sent', 'run:returned']);
