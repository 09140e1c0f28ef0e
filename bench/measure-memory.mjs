// npm run bench:memory -- [minutes] [requests per second]   memory of a server under load that records everything
import { setTimeout as wait } from 'node:timers/promises';
import { fileOf } from './catalogue.mjs';
import { isPinnable, startPaced } from './harness/paced-server.mjs';

const minutes = Number(process.argv[2] ?? 60);
const perSecond = Number(process.argv[3] ?? 2000);
const warmUpMinutes = Math.min(5, minutes / 3);
const mebibytes = (bytes) => bytes / 1024 / 1024;

const paced = await startPaced(fileOf('servers', 'lookback-sqlite-two-cores'), {
  perSecond,
  isPinned: isPinnable,
  flags: ['--expose-gc'],
});
const samples = [];
try {
  console.log('minute  heap MiB  resident MiB  requests');
  const start = performance.now();
  let requests = 0;
  for (let minute = 0; minute < minutes; minute = (performance.now() - start) / 60_000) {
    await wait(Math.min(15_000, (minutes * 60_000) / 8));
    requests += (await paced.load.ask('mark')).requests;
    const { heapUsed, rss } = await paced.server.child.ask('memory');
    const sample = {
      minute: (performance.now() - start) / 60_000,
      heap: mebibytes(heapUsed),
      rss: mebibytes(rss),
    };
    samples.push(sample);
    console.log(
      `${sample.minute.toFixed(1).padStart(6)}${sample.heap.toFixed(1).padStart(10)}${sample.rss.toFixed(1).padStart(14)}${String(requests).padStart(10)}`,
    );
  }
} finally {
  await paced.stop();
}
const settled = samples.filter(({ minute }) => minute >= warmUpMinutes);
const third = Math.ceil(settled.length / 3);
say('heap', ({ heap }) => heap);
say('resident', ({ rss }) => rss);

function say(name, read) {
  const [first, last] = [settled.slice(0, third), settled.slice(-third)].map((part) => middleOf(part, read));
  const slope = slopeOf(settled, read) * 10;
  console.log(
    `${name}, after ${warmUpMinutes.toFixed(1)} minutes of warm-up: ${first.toFixed(1)} MiB in the first third, ` +
      `${last.toFixed(1)} in the last (medians); ${slope.toFixed(2)} MiB in 10 minutes (least squares)`,
  );
}

function middleOf(part, read) {
  return part.map(read).sort((a, b) => a - b)[part.length >> 1] ?? Number.NaN;
}

/** Least squares, per minute. */
function slopeOf(points, read) {
  const middle = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [x, y] = [middle(points.map(({ minute }) => minute)), middle(points.map(read))];
  const up = points.reduce((sum, point) => sum + (point.minute - x) * (read(point) - y), 0);
  return up / points.reduce((sum, { minute }) => sum + (minute - x) ** 2, 0);
}
