// The process of one load generator: keeps a server's connections busy until it is stopped, or sends a fixed number of requests per second.
// It sleeps between responses, as clients do. At each `mark` it reports what happened since the last one: requests, latencies, and the CPU
// time that the server used for them.
import { LoadConnection } from './load-connection.mjs';
import { readCpuTime } from './schedstat.mjs';
import { visitorRequests } from './visitors.mjs';

process.once('message', (options) => {
  generate(options);
  process.send('ready');
});
process.on('disconnect', () => process.exit(0));

function generate({ port, pid, path, status, cookies, isIdentical, connections, perSecond }) {
  const requests = visitorRequests({ path, port, cookies, isIdentical });
  const isPaced = perSecond !== undefined;
  const samples = new Float32Array(1 << 20);
  const idle = [];
  let sent = 0;
  let answers = 0;
  let since = performance.now();
  let cpu = readCpuTime(pid);

  const open = Array.from({ length: connections }, () => {
    const connection = new LoadConnection({
      port,
      status,
      isPaced,
      nextRequest: () => requests[sent++ % requests.length],
      onAnswer(milliseconds) {
        samples[answers++ & (samples.length - 1)] = milliseconds;
        if (isPaced) idle.push(connection);
      },
      onFailure(error) {
        console.error(error.message);
        process.exit(1);
      },
    });
    if (isPaced) idle.push(connection);
    return connection;
  });
  if (isPaced) pace({ idle, perSecond, connections });

  process.on('message', (message) => {
    if (message === 'mark') process.send(mark());
    else for (const connection of open) connection.stop();
  });

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
    since = performance.now(); // sorting time belongs to no round
    cpu = readCpuTime(pid);
    return result;
  }
}

/** Sends the requests that are due, once per millisecond. Requests that a slow server delays are not made up for. */
function pace({ idle, perSecond, connections }) {
  const began = performance.now();
  let sent = 0;
  setInterval(() => {
    const due = ((performance.now() - began) * perSecond) / 1000;
    if (idle.length === 0) sent = Math.max(sent, due - connections);
    while (sent < due && idle.length > 0) {
      idle.shift().send();
      sent++;
    }
  }, 1);
}
