// node examples/jobs/app.js, with Redis at REDIS_URL (default redis://127.0.0.1:6379); then
// curl -X POST 'http://127.0.0.1:3000/orders?email=ada@example.org', and open http://127.0.0.1:3000/_profiler/
//
// A request adds a job to a queue of BullMQ, a worker sends a mail for it, and a schedule adds a report every morning. Each
// job has a record of its own, in the trace of the request that added it.
import { Queue, Worker } from 'bullmq';
import { createApp, serve } from 'lookback';
import { recordJobs, recordMail } from 'lookback/instrumentation';
import { createTransport } from 'nodemailer';

const { hostname: host, port } = new URL(process.env.REDIS_URL ?? 'redis://127.0.0.1:6379');
const connection = { host, port: Number(port || 6379) };
// In production: createTransport(process.env.SMTP_URL). This one writes the mail as JSON, and sends nothing.
const mailer = recordMail(createTransport({ jsonTransport: true }));

/** The extension that owns the queue: what it opens in started(), it closes in close(). */
function createJobs() {
  let queue, worker;
  return {
    name: 'jobs',
    add: (name, data) =>
      queue.add(name, data, { attempts: 3, backoff: { type: 'exponential', delay: 1000 } }),
    async started() {
      queue = recordJobs(new Queue('shop', { connection }));
      await queue.upsertJobScheduler('report', { pattern: '0 6 * * *' }, { name: 'report' });
      worker = recordJobs(new Worker('shop', run, { connection, concurrency: 5 }));
      worker.on('error', (error) => console.error(error.message)); // Redis is gone: BullMQ connects again
    },
    async close() {
      await worker?.close(); // waits for the jobs under way
      await queue?.close();
    },
  };
}

/** The work of each job, by its name. What it throws fails the job, which BullMQ tries again. */
const work = {
  confirm: ({ email, order }) =>
    mailer.sendMail({ from: 'shop@example.org', to: email, subject: `Order ${order}`, text: 'Thank you.' }),
  report: () => console.log('counting the orders of yesterday'),
};

async function run({ name, data }) {
  if (work[name] === undefined) throw new Error(`There is no job "${name}".`);
  await work[name](data);
}

await serve(() => {
  const jobs = createJobs();
  const app = createApp({ configuration: { port: Number(process.env.PORT ?? 3000) }, extensions: [jobs] });
  let orders = 0;
  app.post('/orders', async ({ request }) => {
    const order = ++orders;
    const { id } = await jobs.add('confirm', { order, email: request.query.get('email') });
    return { order, job: id };
  });
  return app;
});
