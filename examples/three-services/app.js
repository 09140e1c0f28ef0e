// node examples/three-services/app.js, then open http://localhost:3000/order/7 and http://localhost:3000/_profiler/
//
// Three processes: a shop (Express), which calls a stock service (node:http) and a price service (Fastify). None of them contains
// lookback code: each is started with `--import lookback/register`. They share a store, so that a request's record links to
// the records of the requests that it caused.
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const first = Number(process.env.PORT ?? 3000);
const store = process.env.PROFILER_STORE ?? 'sqlite:var/three-services.db';
const ports = { SHOP: first, STOCK: first + 1, PRICES: first + 2 };
const children = ['stock', 'prices', 'shop'].map((name) =>
  fork(fileURLToPath(new URL(`${name}.js`, import.meta.url)), {
    execArgv: ['--import', 'lookback/register'],
    env: { ...process.env, PROFILER_STORE: store, PORT: String(ports[name.toUpperCase()]), ...urls() },
  }),
);
await Promise.all(children.map((child) => new Promise((resolve) => child.once('message', resolve))));
console.log(`listening: http://localhost:${first}/order/7`);
for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, () => {
    for (const child of children) child.kill(signal);
  });

function urls() {
  return { STOCK_URL: `http://127.0.0.1:${ports.STOCK}`, PRICES_URL: `http://127.0.0.1:${ports.PRICES}` };
}
