// The process of one server: runs the given file, reports its port, and answers messages.
import { monitorEventLoopDelay } from 'node:perf_hooks';

const { start } = await import(process.argv[2]);
const target = await start();
const delay = monitorEventLoopDelay({ resolution: 1 });
const answers = {
  recorded: () => target.recorded(),
  memory() {
    globalThis.gc?.();
    return process.memoryUsage();
  },
  /** How late the event loop has run a one-millisecond timer since the last message. */
  delay() {
    const { min } = delay;
    const late = (percent) => (delay.percentile(percent) - min) / 1e6;
    const result = { p50: late(50), p99: late(99), greatest: (delay.max - min) / 1e6 };
    delay.reset();
    delay.enable();
    return result;
  },
};
process.send({ ...target, records: target.recorded !== undefined });
process.on('message', async (message) => process.send(await answers[message]()));
process.on('SIGTERM', () => {
  void Promise.resolve(target.stop?.()).finally(() => process.exit(0));
});
process.on('disconnect', () => process.exit(0));
