import { describePlaces } from './places/describe-places.ts';

describePlaces({ inTab: () => true });
