import type { Profiler } from '#profiler';
import type { PromClient, PromRegistry } from './prom-client.js';

/** What became of the records of this process, read when the metrics are requested. */
export function addRecordMetrics({
  client,
  registry,
  profiler,
}: {
  readonly client: PromClient;
  readonly registry: PromRegistry;
  readonly profiler: () => Profiler | undefined;
}): void {
  const registers = [registry] as never[]; // the package's own
  const gauge = (
    name: string,
    help: string,
    read: (from: Profiler) => Readonly<Record<string, number>>,
  ): void => {
    const metric = new client.Gauge({
      name,
      help,
      labelNames: ['state'],
      registers,
      collect() {
        const from = profiler();
        if (from === undefined) return;
        for (const [state, value] of Object.entries(read(from))) metric.set({ state }, value);
      },
    });
  };
  const made = new client.Counter({
    name: 'lookback_records_made_total',
    help: 'Records that this process made.',
    registers,
    collect() {
      made.reset();
      made.inc({}, profiler()?.counters().made ?? 0);
    },
  });
  gauge('lookback_records', 'Records that this process made, by what became of them.', (from) => {
    const { stored, pruned, dropped, pending } = from.counters();
    return { stored, pending, pruned: sumOf(pruned), dropped: sumOf(dropped) };
  });
  gauge('lookback_store', 'What the store holds, and 1 where it works.', (from) => {
    const { status, records, bytes } = from.state();
    return { ready: status === 'ready' ? 1 : 0, records: records ?? 0, bytes: bytes ?? 0 };
  });
  gauge('lookback_requests', 'Requests under way, and those that sampling left out.', (from) => {
    const { open, sampledOut } = from.counters();
    return { open, 'sampled-out': sampledOut };
  });
}

function sumOf(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}
