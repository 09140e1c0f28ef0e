// node compile-once.mjs ROUTER SIZE: the cost of the first and fifth compilation in a process, as JSON in milliseconds. `wall` is
// wall-clock time, `main` the main thread's CPU time.
import { createThreadClock } from '../harness/thread-clock.mjs';
import { createRouteSet } from './route-set.mjs';
import { routers } from './routers.mjs';

const [name, size] = process.argv.slice(2);
const routes = createRouteSet(Number(size));
const readClock = createThreadClock();
readClock();
const cold = timeBuild();
for (let again = 0; again < 3; again += 1) timeBuild();
console.log(JSON.stringify({ cold, warm: timeBuild() }));

function timeBuild() {
  const start = { wall: performance.now(), main: readClock() };
  routers[name](routes)('GET', '/warm/up');
  return { main: (readClock() - start.main) / 1e6, wall: performance.now() - start.wall };
}
