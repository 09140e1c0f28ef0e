import { setTimeout as wait } from 'node:timers/promises';
import { fileOf } from '../catalogue.mjs';
import { isPinnable, startPaced } from '../harness/paced-server.mjs';
import { spreadOf } from '../harness/summarise-pair.mjs';

const perSecond = 5000;
const servers = ['plain', 'lookback-off', 'lookback-sqlite-two-cores'];

/** How late a server's event loop runs a timer while it answers 5,000 requests per second: what recording adds to the delay. */
export async function measure({ isQuick }) {
  const results = [];
  for (const name of servers) {
    const paced = await startPaced(fileOf('servers', name), {
      perSecond,
      isPinned: isPinnable,
    });
    const { server, load } = paced;
    try {
      await wait(2000); // until its code is compiled
      await load.ask('mark');
      await server.child.ask('delay');
      const [p99, rates] = [[], []];
      for (let round = 0; round < (isQuick ? 3 : 5); round++) {
        await wait(1000);
        p99.push((await server.child.ask('delay')).p99);
        const { requests, seconds } = await load.ask('mark');
        rates.push(requests / seconds);
      }
      const rate = Math.round(spreadOf(rates).median);
      results.push({
        name: `loop delay p99 at ${rate} requests/s, ${server.title}`,
        unit: 'ms',
        spread: spreadOf(p99),
      });
    } finally {
      await paced.stop();
    }
  }
  return results;
}
