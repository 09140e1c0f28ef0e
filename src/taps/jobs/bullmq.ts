import { channel } from 'node:diagnostics_channel';
import { HttpRequest } from '#http';
import {
  currentRecording,
  nextSpan,
  type Profiler,
  renderTraceparent,
  requestRecording,
  traceOf,
} from '#profiler';
import { runInScope, reportAsOne } from '#scope';
import { undoAll, followPromise, replaceMethod } from '#patches';
import { deepField, fieldOf } from '../source/fields.js';
import { takeMoment, runAtMoment } from '../source/moment.js';
import { recordTarget } from '../source/targets.js';

const sent = channel('lookback:jobs:sent');
const run = channel('lookback:jobs:run');

/** The part of the profiler that records jobs, which begin outside of requests. */
export type JobRecorder = Pick<Profiler, 'begin' | 'finish'>;

let findRecorder: (() => JobRecorder) | undefined; // one per process, because jobs run outside of requests

/** Sets the recorder of jobs; undefined stops recording them. */
export function recordJobsBy(find: (() => JobRecorder) | undefined): void {
  findRecorder = find;
}

/**
 * Shows the jobs added to a Queue of BullMQ in the record of the request that adds them, and records each job that a
 * Worker processes: `recordJobs(new Worker('mail', send, { connection }))`. Both belong to one trace, which travels in
 * the job's options (`telemetry.metadata`, as BullMQ's own OpenTelemetry does). Returns its argument; anything else
 * throws `TAPS_UNKNOWN_TARGET`.
 */
export function recordJobs<Target extends object>(target: Target): Target {
  return recordTarget(target, (given) => ('addBulk' in given ? tapQueue(given) : tapWorker(given)), {
    function: 'recordJobs',
    known: 'a Queue or a Worker of BullMQ',
  });
}

function tapQueue(queue: object): () => void {
  return undoAll([
    replaceMethod(queue, 'add', (former, args, self) => {
      const [name, data, options] = args;
      return reportSent({ queue, jobs: [{ name, data }] }, () =>
        Reflect.apply(former, self, [name, data, withTrace(queue, options), ...args.slice(3)]),
      );
    }),
    replaceMethod(queue, 'addBulk', (former, args, self) => {
      const [jobs] = args;
      if (!Array.isArray(jobs)) return Reflect.apply(former, self, args);
      const traced = jobs.map((job: object) => ({
        ...job,
        opts: withTrace(queue, fieldOf(job, 'opts')),
      }));
      return reportSent({ queue, jobs }, () => Reflect.apply(former, self, [traced]));
    }),
  ]);
}

function reportSent(
  { queue, jobs }: { readonly queue: object; readonly jobs: readonly unknown[] },
  add: () => unknown,
): unknown {
  const moment = sent.hasSubscribers ? takeMoment() : undefined;
  if (moment === undefined) return add();
  const result = reportAsOne(add);
  const publish = (error: unknown, made?: unknown): void =>
    runAtMoment(moment, () => {
      for (const [at, job] of jobs.entries())
        sent.publish({
          queue: fieldOf(queue, 'name'),
          name: fieldOf(job, 'name'),
          data: fieldOf(job, 'data'),
          id: fieldOf(Array.isArray(made) ? made[at] : made, 'id'),
          startedAt: moment.startedAt,
          durationMs: performance.now() - moment.startedAt,
          error,
          callSite: moment.callSite(),
        });
    });
  return followPromise(result, { done: (made) => publish(undefined, made), failed: publish }) ?? result;
}

/** Adds the trace of the current request to a job's options, unless they have one or the queue has its own telemetry. */
function withTrace(queue: object, options: unknown): unknown {
  const recording = currentRecording();
  const isTaken = deepField(queue, 'opts', 'telemetry') ?? deepField(options, 'telemetry', 'metadata');
  if (recording === undefined || isTaken !== undefined) return options;
  const metadata = JSON.stringify({ traceparent: renderTraceparent(nextSpan(traceOf(recording.request))) });
  return { ...(options as object | undefined), telemetry: { metadata } }; // options are an object or undefined
}

function tapWorker(worker: object): (() => void) | undefined {
  return replaceMethod(worker, 'processFn', (former, args, self) => {
    const recorder = findRecorder?.();
    const [job] = args;
    const work = (): unknown => Reflect.apply(former, self, args);
    return recorder === undefined || typeof job !== 'object' || job === null
      ? work()
      : record(recorder, job, work);
  });
}

/** Records a job as a request with the method JOB and a target of queue and name. */
async function record(recorder: JobRecorder, job: object, work: () => unknown): Promise<unknown> {
  const [queue, name, id] = [fieldOf(job, 'queueName'), fieldOf(job, 'name'), fieldOf(job, 'id')].map(String);
  const request = new HttpRequest({
    method: 'JOB',
    target: `/${encodeURIComponent(queue ?? '')}/${encodeURIComponent(name ?? '')}`,
    rawHeaders: traceField(deepField(job, 'opts', 'telemetry', 'metadata')),
    httpVersion: '',
    peer: { address: '127.0.0.1', port: 0, encrypted: false },
  });
  const recording = recorder.begin(request);
  request.scope.set(requestRecording, recording);
  recording.route({ name: `${queue} ${name}`, path: null });
  const about = {
    queue,
    name,
    id,
    attempt: Number(fieldOf(job, 'attemptsMade')) + 1,
    data: fieldOf(job, 'data'),
  };
  const over = (status: number, result?: unknown): void => {
    runInScope(request.scope, () => run.publish({ ...about, result }));
    recorder.finish(recording, undefined, { status, headers: [], bodyBytes: 0, completed: true });
  };
  try {
    const result: unknown = await runInScope(request.scope, work);
    over(200, result);
    return result;
  } catch (error) {
    recording.lateError(error); // no client sees it
    over(500);
    throw error;
  }
}

function traceField(metadata: unknown): string[] {
  try {
    const carrier: unknown = typeof metadata === 'string' ? JSON.parse(metadata) : undefined;
    const traceparent = fieldOf(carrier, 'traceparent');
    return typeof traceparent === 'string' ? ['traceparent', traceparent] : [];
  } catch {
    return [];
  }
}
