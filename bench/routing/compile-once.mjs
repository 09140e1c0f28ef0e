// node compile-once.mjs ROUTER SIZE: what the first compilation of a process costs, and the fifth, as JSON in milliseconds.
// `wall` is the clock; `main` the processor time of the main thread, which other programs on the machine do not lengthen.
import { readCpuTime } from '../harness/schedstat.mjs';
import { createRouteSet } from './route-set.mjs';
import { routers } from './routers.mjs';

const [name, size] = process.argv.slice(2);
const routes = createRouteSet(Number(size));
readMain();
const cold = timeBuild();
for (let again = 0; again < 3; again += 1) timeBuild();
console.log(JSON.stringify({ cold, warm: timeBuild() }));

function timeBuild() {
  const start = { wall: performance.now(), main: readMain() };
  routers[name](routes)('GET', '/warm/up');
  return { wall: performance.now() - start.wall, main: readMain() - start.main };
}

/** NaN where the system does not tell. Asking for the process's usage first brings the thread's account up to date. */
function readMain() {
  process.cpuUsage();
  return (readCpuTime(process.pid)?.main ?? Number.NaN) / 1e6;
}
