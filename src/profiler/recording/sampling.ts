import { createHmac, timingSafeEqual } from 'node:crypto';
import type { HttpRequest } from '#core/http';
import type { BeginOptions } from '../model/profiler.js';

/** Options that select the requests to record. By default, all are recorded. */
export interface SampleOptions {
  /** Share of the requests to record, from 0 to 1. Default 1. */
  readonly rate?: number;
  /** Whether requests outside the share are also kept if they fail (error, or status 500 or above). Default true. */
  readonly errors?: boolean;
  /** Requests outside the share are also kept if they take at least this many milliseconds; false: never. Default 1000. */
  readonly slowMs?: number | false;
  /** Requests with an `X-Lookback-Sample` header signed with this secret (`signSample`) are always kept. At least 32 characters. */
  readonly secret?: string;
}

/** `maybe`: the request is recorded on trial; the record is kept only if the request fails or is slow. */
export type SampleDecision = 'keep' | 'maybe' | 'skip';

/** Request header that requires recording. */
const sampleHeader = 'x-lookback-sample';

/** Decides when a request begins whether to record it, and for `maybe` again when it ends. */
export class Sampler {
  readonly #rate: number;
  readonly #errors: boolean;
  readonly #slowMs: number;
  readonly #secret: string | undefined;

  /** The options are those that `sampleSchema` accepts. */
  constructor(options: SampleOptions = {}) {
    const { rate = 1, errors = true, slowMs = 1000, secret } = options;
    this.#rate = rate;
    this.#errors = errors;
    this.#slowMs = slowMs === false ? Number.POSITIVE_INFINITY : slowMs;
    this.#secret = secret;
  }

  decide(request: HttpRequest): SampleDecision {
    if (this.#rate === 1 || Math.random() < this.#rate || this.#hasSignature(request)) return 'keep';
    return this.#errors || this.#slowMs !== Number.POSITIVE_INFINITY ? 'maybe' : 'skip';
  }

  /** Returns whether the record of a request that was recorded on trial is kept. */
  keeps(end: { readonly failed: boolean; readonly durationMs: number }): boolean {
    return (this.#errors && end.failed) || end.durationMs >= this.#slowMs;
  }

  #hasSignature(request: HttpRequest): boolean {
    if (this.#secret === undefined) return false;
    const [until = '', signature = ''] = (request.headers.get(sampleHeader) ?? '').slice(0, 200).split('.');
    if (!/^\d{1,12}$/.test(until) || Number(until) * 1000 < Date.now()) return false;
    const [given, expected] = [Buffer.from(signature), Buffer.from(sign(until, this.#secret))];
    return given.length === expected.length && timingSafeEqual(given, expected);
  }
}

/**
 * Returns a value of the `X-Lookback-Sample` header. Until it expires (default: in one hour), requests with it are recorded
 * regardless of the share. It grants nothing else. Throws a RangeError if the secret has fewer than 32 characters.
 */
export function signSample(secret: string, { until }: { readonly until?: Date } = {}): string {
  checkSecret(secret);
  const seconds = String(Math.floor((until?.getTime() ?? Date.now() + 3_600_000) / 1000));
  return `${seconds}.${sign(seconds, secret)}`;
}

function sign(until: string, secret: string): string {
  return createHmac('sha256', secret).update(`${sampleHeader} ${until}`).digest('base64url');
}

function checkSecret(secret: string): void {
  if (secret.length < 32) throw new RangeError('The secret for sampling needs at least 32 characters.');
}

const profiled = /(?:^|&)_profile=cpu(?:&|$)/;

/** Returns whether to take a CPU profile: the request has `?_profile=cpu` and is allowed to. */
export function isProfiled({ rawQuery }: HttpRequest, { mayProfile, origin }: BeginOptions): boolean {
  return mayProfile === true && origin !== 'profiler' && profiled.test(rawQuery);
}
