import { ask, spreadOf, startLoad, startWatched } from './clients.mjs';

const aimMs = 100;

/** Four processes share a store: how soon a response's record can be opened in the other three. */
export async function openElsewhere(store, { rounds, perSecond = 0 }) {
  const fleet = await Promise.all([1, 2, 3, 4].map(() => startWatched('framework', store)));
  const loads =
    perSecond === 0 ? [] : fleet.map(({ port }) => startLoad(port, { perSecond, connections: 4 }));
  try {
    for (const { port } of fleet)
      for (let time = 0; time < 20; time++) {
        const { token } = await ask(port, '/ok/first'); // the first requests for its pages load and compile them
        await ask(port, `/_profiler/${token}`, { accept: 'text/html' });
      }
    const [took, late] = [[], []];
    for (let round = 0; round < rounds; round++) {
      const from = fleet[round % 4];
      const { token, at } = await ask(from.port, `/${round % 5 === 0 ? 'fail' : 'ok'}/${round}`);
      const others = fleet.filter((one) => one !== from);
      took.push(...(await Promise.all(others.map(({ port }) => openRecord(port, token, at, late)))));
    }
    const { p50, p95, p99, greatest } = spreadOf(took);
    return {
      isProven: p95 <= aimMs && late.length === 0,
      text:
        `${took.length} record pages, each requested right after the response: p50 ${p50.toFixed(0)}, p95 ${p95.toFixed(0)}, ` +
        `p99 ${p99.toFixed(0)}, longest ${greatest.toFixed(0)} ms; ${late.length} were not found at the first request`,
    };
  } finally {
    for (const load of loads) await load.stop();
    for (const { child } of fleet) await child.stop();
  }
}

/** Milliseconds from the response until its record page is available. */
async function openRecord(port, token, at, late) {
  for (let attempt = 0; attempt < 100; attempt++) {
    const page = await ask(port, `/_profiler/${token}`, { accept: 'text/html' });
    if (page.status === 200) return page.at - at;
    if (attempt === 0) late.push(token);
  }
  throw new Error(`${token} was not found after a hundred requests.`);
}
