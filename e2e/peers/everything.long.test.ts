import { describeEverything } from './everything.ts';

describeEverything('stdio');
describeEverything('Streamable HTTP');
