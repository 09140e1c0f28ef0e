import { createRedactor } from '../../dist/src/dump.js';
import { HttpRequest, HttpResponse } from '../../dist/src/index.js';
import { createMemoryStore, createProfiler } from '../../dist/src/profiler.js';
import { SegmentWriter } from '../../dist/src/profiler/form/segment-writer.js';
import { baseColumns } from '../../dist/src/profiler/form/summary-columns.js';
import { closeRecording } from '../../dist/src/profiler/watch/close-recording.js';
import { createProcessSampler } from '../../dist/src/profiler/watch/process-sampler.js';
import { VisitorThreads } from '../../dist/src/profiler/redact/visitor-threads.js';
import { recorderLimits } from '../../dist/src/profiler/watch/recorder-limits.js';
import { visitorSource } from '../harness/visitors.mjs';
import { timeRounds } from '../harness/time-rounds.mjs';

/** Writing one closed recording into a segment of 256, and what a record then takes. */
export async function measure({ isQuick }) {
  const profiler = createProfiler({ store: createMemoryStore(), storeName: 'memory:' });
  const recording = profiler.begin(
    new HttpRequest({ ...visitorSource(0), peer: { address: '127.0.0.1', port: 50_000, encrypted: false } }),
    { bucket: 'app' },
  );
  recording.route({ name: 'hello', path: '/hello/{name}' }, { name: 'world' });
  const sampler = createProcessSampler(() => undefined);
  const closing = {
    response: HttpResponse.json({ hello: 'world' }),
    sent: { status: 200, headers: ['Content-Type', 'application/json'], bodyBytes: 17, completed: true },
    sequence: 1,
    end: 10_000,
    sample: sampler.sample,
    reported: [],
  };
  const services = {
    redactor: createRedactor(),
    limits: recorderLimits,
    collected: [],
    visitors: new VisitorThreads(),
  };
  const parts = { columns: baseColumns, config: {}, failed: () => undefined };
  let bytes = 0;
  const spread = await timeRounds(
    (count) => {
      for (let index = 0; index < count; index += 256) {
        const writer = new SegmentWriter('app', parts);
        for (let place = 0; place < 256; place++)
          writer.add(closeRecording(recording, closing, services), performance.now());
        const { directory, body } = writer.seal(index);
        bytes = (directory.byteLength + body.byteLength) / 256;
      }
    },
    { isQuick },
  );
  sampler.stop();
  await profiler.close();
  const size = { median: bytes, least: bytes, greatest: bytes };
  return [
    { name: 'encoding one record', unit: 'µs', spread },
    { name: 'one record among its like, without spans', unit: 'bytes', spread: size },
  ];
}
