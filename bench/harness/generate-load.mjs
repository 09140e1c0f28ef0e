// The process of one load generator: keeps connections to a server busy until it is told to stop, or asks so many times
// a second. At each `mark` it
// says what happened since the last one: requests, latencies, and the processor time the server used for them.
import { browserRequest } from './browser-request.mjs';
import { LoadConnection } from './load-connection.mjs';
import { readCpuTime } from './schedstat.mjs';

const { port, pid, path, status, accept, connections, perSecond } = JSON.parse(process.argv[2]);
const samples = new Float32Array(1 << 20);
let answers = 0;
let since = performance.now();
let cpu = readCpuTime(pid);

const idle = [];
const open = Array.from({ length: connections }, () => {
  const connection = new LoadConnection({
    port,
    status,
    request: browserRequest({ path, port, accept }),
    isPaced: perSecond !== undefined,
    onAnswer(milliseconds) {
      samples[answers++ & (samples.length - 1)] = milliseconds;
      if (perSecond !== undefined) idle.push(connection);
    },
    onFailure(error) {
      console.error(error.message);
      process.exit(1);
    },
  });
  if (perSecond !== undefined) idle.push(connection);
  return connection;
});

process.on('message', (message) => {
  if (message === 'mark') process.send(mark());
  else for (const connection of open) connection.stop();
});
process.on('disconnect', () => process.exit(0));
process.send('ready');
// Never asleep: to wake a sleeping process costs whoever writes to it, and it would be the
// slower server that pays for it.
let asked = 0;
const began = performance.now();
const stayAwake = () => {
  if (perSecond !== undefined) askWhatIsDue();
  setImmediate(stayAwake);
};
stayAwake();

function askWhatIsDue() {
  const due = ((performance.now() - began) * perSecond) / 1000;
  // What a slow server leaves unasked is not made up for.
  if (idle.length === 0) asked = Math.max(asked, due - connections);
  while (asked < due && idle.length > 0) {
    idle.shift().ask();
    asked++;
  }
}

function mark() {
  const now = performance.now();
  const used = readCpuTime(pid);
  const sorted = samples.slice(0, Math.min(answers, samples.length)).sort();
  const result = {
    requests: answers,
    seconds: (now - since) / 1000,
    mainMicros: used === undefined ? undefined : (used.main - cpu.main) / 1000 / answers,
    allMicros: used === undefined ? undefined : (used.all - cpu.all) / 1000 / answers,
    p50: sorted[Math.floor(sorted.length * 0.5)] ?? 0,
    p99: sorted[Math.floor(sorted.length * 0.99)] ?? 0,
  };
  answers = 0;
  since = performance.now(); // what sorting took belongs to no round
  cpu = readCpuTime(pid);
  return result;
}
