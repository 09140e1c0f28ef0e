import { channel } from 'node:diagnostics_channel';
import { safely } from '#core/coded-error';
import { replaceMethod } from '#core/patches';
import { deepField, fieldOf } from '../source/fields.js';
import { followOperation } from '../source/moment.js';
import { recordTarget, instrumentByMethod } from '../source/targets.js';
import { instrumentAmqpJobs } from './amqp.js';
import { jobTraceparent, runJob } from './run-job.js';

const sent = channel('lookback:jobs:sent');

/**
 * Adds jobs that a request puts on a BullMQ Queue to its record, and records each job that a Worker processes:
 * `recordJobs(new Worker('mail', send, { connection }))`. Both belong to one trace, which travels in the job's options
 * (`telemetry.metadata`, as in BullMQ's own OpenTelemetry support). For an amqplib channel, the jobs are the messages
 * it delivers to consumers, and the trace travels in the `traceparent` header, as with OpenTelemetry. Returns its
 * argument; anything else throws `INSTRUMENTATION_UNKNOWN_TARGET`.
 */
export function recordJobs<Target extends object>(target: Target): Target {
  const instrumentations = {
    dispatchMessage: instrumentAmqpJobs,
    addBulk: instrumentQueue,
    processFn: instrumentWorker,
  };
  return recordTarget(target, instrumentByMethod(instrumentations), {
    function: 'recordJobs',
    known: 'a BullMQ Queue or Worker, or an amqplib channel',
  });
}

function instrumentQueue(queue: object): void {
  replaceMethod(queue, 'add', (former, args, self) => {
    const [name, data, options] = args;
    return addJobs(queue, [{ name, data }], () =>
      Reflect.apply(former, self, [name, data, withTrace(queue, options), ...args.slice(3)]),
    );
  });
  replaceMethod(queue, 'addBulk', (former, args, self) => {
    const [jobs] = args;
    if (!Array.isArray(jobs)) return Reflect.apply(former, self, args);
    const traced = jobs.map((job: object) => ({ ...job, opts: withTrace(queue, fieldOf(job, 'opts')) }));
    return addJobs(queue, jobs, () => Reflect.apply(former, self, [traced]));
  });
}

function addJobs(queue: object, jobs: readonly unknown[], add: () => unknown): unknown {
  return followOperation(sent, add, ({ result, error }) =>
    jobs.map((job, at) => ({
      queue: fieldOf(queue, 'name'),
      name: fieldOf(job, 'name'),
      data: fieldOf(job, 'data'),
      id: fieldOf(Array.isArray(result) ? result[at] : result, 'id'),
      error,
    })),
  );
}

/**
 * Adds the trace of the current request to a job's options, unless they have one or the queue has its own telemetry.
 */
function withTrace(queue: object, options: unknown): unknown {
  const traceparent = jobTraceparent();
  const isTaken = deepField(queue, 'opts', 'telemetry') ?? deepField(options, 'telemetry', 'metadata');
  if (traceparent === undefined || isTaken !== undefined) return options;
  const metadata = JSON.stringify({ traceparent });
  return { ...(options as object | undefined), telemetry: { metadata } }; // options are an object or undefined
}

function instrumentWorker(worker: object): void {
  replaceMethod(worker, 'processFn', (former, args, self) => {
    const [job] = args;
    const about = {
      queue: String(fieldOf(job, 'queueName')),
      name: String(fieldOf(job, 'name')),
      id: fieldOf(job, 'id'),
      attempt: Number(fieldOf(job, 'attemptsMade')) + 1,
      data: fieldOf(job, 'data'),
      traceparent: traceparentOf(deepField(job, 'opts', 'telemetry', 'metadata')),
    };
    return runJob(about, () => Reflect.apply(former, self, args));
  });
}

function traceparentOf(metadata: unknown): unknown {
  if (typeof metadata !== 'string') return undefined;
  return safely(() => fieldOf(JSON.parse(metadata), 'traceparent'), undefined);
}
