// node examples/jobs/app.js, with Redis at REDIS_URL (default redis://127.0.0.1:6379); then
// curl -X POST 'http://127.0.0.1:3000/orders?email=ada@example.org', and open http://127.0.0.1:3000/_profiler/
//
// A request adds a job to a BullMQ queue, a worker sends a mail for it, and a schedule adds a report every morning. Each
// job has its own record, in the trace of the request that added it.
import { Queue, Worker } from 'bullmq';
import { createApp, serve } from 'lookback';
import { recordJobs, recordMail } from 'lookback/instrumentation';
import { createTransport } from 'nodemailer';

const { hostname: host, port } = new URL(process.env.REDIS_URL ?? 'redis://127.0.0.1:6379');
const connection = { host, port: Number(port || 6379) };
// In production: createTransport(process.env.SMTP_URL). This one writes the mail as JSON, and sends nothing.
const mailer = recordMail(createTransport({ jsonTransport: true }));

/** The extension that owns the queue: it opens connections in started(), and closes them in close(). */
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
      worker.on('error', (error) => console.error(error.message)); // the connection to Redis was lost: BullMQ reconnects
    },
    async close() {
      await worker?.close(); // waits for running jobs
      await queue?.close();
    },
  };
}

/** The work for each job, by name. If it throws, the job fails, and BullMQ retries it. */
const work = {
  confirm: ({ email, order }) =>
    mailer.sendMail({ from: 'shop@example.org', to: email, subject: `Order ${order}`, text: 'Thank you.' }),
  report: () => console.log("counting yesterday's orders"),
};

async function run({ name, data }) {
  if (work[name] === undefined) throw new Error(`Unknown job "${name}".`);
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
