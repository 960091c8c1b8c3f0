import { describeLocations } from './locations/describe-locations.ts';

describeLocations({ inTab: () => true });
