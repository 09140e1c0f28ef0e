import { createRedactor } from '../../dist/src/dump.js';
import { HttpRequest, HttpResponse } from '../../dist/src/index.js';
import { createMemoryStore, createProfiler } from '../../dist/src/profiler.js';
import { recorderLimits } from '../../dist/src/profiler/record/recorder-limits.js';
import { SegmentWriter } from '../../dist/src/profiler/record/segment-writer.js';
import { visitorSource } from '../harness/visitors.mjs';
import { timeRounds } from '../harness/time-rounds.mjs';

/** Writing one closed recording into a segment of 256, and what a record then takes. */
export async function measure({ isQuick }) {
  const profiler = createProfiler({ store: createMemoryStore(), storeName: 'memory:' });
  const recording = profiler.begin(
    new HttpRequest({ ...visitorSource(0), peer: { address: '127.0.0.1', port: 50_000, encrypted: false } }),
    { bucket: 'app' },
  );
  recording.route({ name: 'hello', path: '/hello/{name}', parameters: { name: 'world' } });
  const closed = {
    recording,
    slots: recording.slots,
    response: HttpResponse.json({ hello: 'world' }),
    sent: { status: 200, headers: ['Content-Type', 'application/json'], bodyBytes: 17, completed: true },
    sequence: 1,
    startedAt: Date.now(),
    end: performance.now(),
    runtime: '{}',
    sampledAt: performance.now(),
    config: '{}',
  };
  const redactor = createRedactor();
  let bytes = 0;
  const spread = await timeRounds(
    (count) => {
      for (let index = 0; index < count; index += 256) {
        const writer = new SegmentWriter('app', redactor, recorderLimits);
        for (let place = 0; place < 256; place++) writer.add(closed, closed.end);
        const { directory, body } = writer.seal(index);
        bytes = (directory.byteLength + body.byteLength) / 256;
      }
    },
    { isQuick },
  );
  await profiler.close();
  const size = { median: bytes, least: bytes, greatest: bytes };
  return [
    { name: 'encoding one record', unit: 'µs', spread },
    { name: 'one record among its like, without spans', unit: 'bytes', spread: size },
  ];
}
