import { describeThrown } from '#errors';

/** Checks a part of the application. It fails if it throws, rejects, returns `false`, or takes too long. */
export type HealthCheck = (signal: AbortSignal) => unknown;

/** The outcome of one check. */
export interface CheckOutcome {
  readonly status: 'ok' | 'failed';
  readonly milliseconds: number;
  readonly error?: string;
}

/** Runs all checks concurrently. Never rejects; a check that takes longer than `timeout` milliseconds has failed. */
export async function runChecks(
  checks: Readonly<Record<string, HealthCheck>>,
  timeout: number,
): Promise<ReadonlyMap<string, CheckOutcome>> {
  const entries = Object.entries(checks).map(
    async ([name, check]) => [name, await runCheck(check, timeout)] as const,
  );
  return new Map(await Promise.all(entries));
}

async function runCheck(check: HealthCheck, timeout: number): Promise<CheckOutcome> {
  const start = performance.now();
  const stop = new AbortController();
  const outcome = (error?: string): CheckOutcome => {
    const milliseconds = Math.round(performance.now() - start);
    return error === undefined ? { status: 'ok', milliseconds } : { status: 'failed', milliseconds, error };
  };
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<CheckOutcome>((resolve) => {
    timer = setTimeout(() => resolve(outcome(`took longer than ${timeout} ms`)), timeout);
  });
  const work = (async () => check(stop.signal))().then(
    (result) => outcome(result === false ? 'the check said no' : undefined),
    (error: unknown) => outcome(describeThrown(error).slice(0, 200)),
  );
  const first = await Promise.race([work, late]);
  clearTimeout(timer);
  stop.abort();
  return first;
}
