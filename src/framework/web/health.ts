import { callable, checkOptions, number, optionsSchema, type OptionsSchema, namesTo } from '#core/options';
import { describeThrown } from '#core/errors';
import { type HttpRequest, HttpResponse, isLoopbackAddress, isProxyField } from '#core/http';
import { kernelListener, kernelPriority, requestEvent } from '#framework/kernel';
import { type WebExtension, timerMilliseconds } from './web-extension.js';

export interface HealthOptions {
  /** Checks that must succeed for the application to be ready, by name. */
  readonly checks?: Readonly<Record<string, HealthCheck>>;
  /** A check's time limit in milliseconds. Default 2000. */
  readonly timeout?: number;
  /**
   * Milliseconds for which an outcome is cached, so that unknown clients cannot run the checks continually. Default
   * 1000.
   */
  readonly freshFor?: number;
  /** Decides which clients may see which check failed and why. Default: clients on this machine, without a proxy. */
  readonly showsDetails?: (request: HttpRequest) => boolean;
}

export const healthSchema: OptionsSchema<HealthOptions> = optionsSchema<HealthOptions>({
  checks: namesTo(callable<HealthCheck>(), 'an object with a function for each name'),
  timeout: number({ above: 0, unit: 'milliseconds' }),
  freshFor: number({ min: 0, unit: 'milliseconds' }),
  showsDetails: callable(),
});

const livenessPath = '/healthz';
const readinessPath = '/readyz';

/** An extension that is notified when the application stops, and whose paths are not recorded. */
export interface HealthExtension extends WebExtension {
  readonly unrecordedPaths: readonly string[];
  stopping(): void;
}

type Outcomes = ReadonlyMap<string, CheckOutcome>;

/**
 * Adds two paths for operators: `/healthz` shows that the process is alive, `/readyz` that it can serve requests (503
 * while a check fails, and once the application begins to close). They are answered before routing, firewall and host
 * validation, and are not recorded. Throws `OPTIONS_BAD_VALUE`.
 */
export function health(options: HealthOptions = {}): HealthExtension {
  checkOptions('health()', options, healthSchema);
  const { checks = {}, freshFor = 1000, showsDetails = isLocal } = options;
  const timeout = timerMilliseconds(options.timeout ?? 2000);
  let isStopping = false;
  let running: Promise<Outcomes> | undefined;
  let freshUntil = 0;

  function outcomes(): Promise<Outcomes> {
    if (running === undefined || performance.now() > freshUntil) {
      freshUntil = Infinity; // concurrent requests share the current run
      running = runChecks(checks, timeout).finally(() => (freshUntil = performance.now() + freshFor));
    }
    return running;
  }

  async function readiness(request: HttpRequest): Promise<HttpResponse> {
    const found: Outcomes = isStopping ? new Map() : await outcomes();
    const isReady = !isStopping && [...found.values()].every(({ status }) => status === 'ok');
    const status = isStopping ? 'stopping' : isReady ? 'ok' : 'failed';
    const details = showsDetails(request) ? { checks: Object.fromEntries(found) } : {};
    return healthResponse(isReady ? 200 : 503, { status, ...details });
  }

  return {
    name: 'health',
    unrecordedPaths: [livenessPath, readinessPath],
    stopping: () => void (isStopping = true),
    listeners: [
      kernelListener(
        requestEvent,
        (event) => {
          const { request } = event;
          const { rawPath } = request;
          if (rawPath !== livenessPath && rawPath !== readinessPath) return;
          if (request.method !== 'GET' && request.method !== 'HEAD') return;
          if (rawPath === livenessPath) {
            event.response = healthResponse(200, { status: 'ok' });
            return;
          }
          return readiness(request).then((response) => void (event.response = response));
        },
        { name: 'health', priority: kernelPriority.request.health },
      ),
    ],
  };
}

function healthResponse(status: number, content: object): HttpResponse {
  return HttpResponse.json(content, { status, headers: { 'Cache-Control': 'no-store' } });
}

function isLocal({ peer: { address = '' }, headers }: HttpRequest): boolean {
  return isLoopbackAddress(address) && ![...headers].some(([name]) => isProxyField(name));
}

/** Checks a part of the application. It fails if it throws, rejects, returns `false`, or takes too long. */
export type HealthCheck = (signal: AbortSignal) => unknown;

/** One check's outcome. */
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
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(resolve, timeout, `took longer than ${timeout} ms`);
  });
  const work = (async () => check(stop.signal))().then(
    (result) => (result === false ? 'the check returned false' : undefined),
    (error: unknown) => describeThrown(error).slice(0, 200),
  );
  const error = await Promise.race([work, late]);
  clearTimeout(timer);
  stop.abort();
  const milliseconds = Math.round(performance.now() - start);
  return error === undefined ? { status: 'ok', milliseconds } : { status: 'failed', milliseconds, error };
}
