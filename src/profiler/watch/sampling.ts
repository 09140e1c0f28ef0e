import { createHmac, timingSafeEqual } from 'node:crypto';
import type { HttpRequest } from '#http';
import type { BeginOptions } from '../model/profiler.js';

/** Which requests are recorded. Without any of these, all are. */
export interface SampleOptions {
  /** Share of the requests, from 0 to 1. Default 1. */
  readonly rate?: number;
  /** Whether failed requests outside the share are kept: an error, or a status of 500 or above. Default yes. */
  readonly errors?: boolean;
  /** Milliseconds from which on a request beyond the share is kept; false: none is. Default 1000. */
  readonly slowMs?: number | false;
  /** Requests with an `X-Lookback-Sample` signed with it (`signSample`) are always kept. At least 32 characters. */
  readonly secret?: string;
}

/** `maybe`: it is watched, and kept only where it turns out to have failed or to be slow. */
export type SampleDecision = 'keep' | 'maybe' | 'skip';

/** Header that requests a record. */
const sampleHeader = 'x-lookback-sample';

/** Decides before a request is watched, and of a `maybe` again when it is over. */
export class Sampler {
  readonly #rate: number;
  readonly #errors: boolean;
  readonly #slowMs: number;
  readonly #secret: string | undefined;

  /** Throws a RangeError where the options make no sense. */
  constructor({ rate = 1, errors = true, slowMs = 1000, secret }: SampleOptions = {}) {
    if (!(rate >= 0 && rate <= 1))
      throw new RangeError('The share of requests must be a number from 0 to 1.');
    if (secret !== undefined) checkSecret(secret);
    this.#rate = rate;
    this.#errors = errors;
    this.#slowMs = slowMs === false ? Number.POSITIVE_INFINITY : slowMs;
    this.#secret = secret;
  }

  decide(request: HttpRequest): SampleDecision {
    if (this.#rate === 1 || Math.random() < this.#rate || this.#isAsked(request)) return 'keep';
    return this.#errors || this.#slowMs !== Number.POSITIVE_INFINITY ? 'maybe' : 'skip';
  }

  /** Whether a request that was watched on trial is kept. */
  keeps(end: { readonly failed: boolean; readonly durationMs: number }): boolean {
    return (this.#errors && end.failed) || end.durationMs >= this.#slowMs;
  }

  #isAsked(request: HttpRequest): boolean {
    if (this.#secret === undefined) return false;
    const [until = '', signature = ''] = (request.headers.get(sampleHeader) ?? '').slice(0, 200).split('.');
    if (!/^\d{1,12}$/.test(until) || Number(until) * 1000 < Date.now()) return false;
    const [given, expected] = [Buffer.from(signature), Buffer.from(sign(until, this.#secret))];
    return given.length === expected.length && timingSafeEqual(given, expected);
  }
}

/**
 * A value for the header `X-Lookback-Sample` with which requests are recorded whatever the share, until it expires
 * (default: in an hour). It permits nothing else. Throws a RangeError for a secret of less than 32 characters.
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

/** Whether a CPU profile is taken of a request: it has `?_profile=cpu`, and is allowed to. */
export function isProfiled({ rawQuery }: HttpRequest, { mayProfile, bucket }: BeginOptions): boolean {
  return mayProfile === true && bucket !== 'profiler' && profiled.test(rawQuery);
}
