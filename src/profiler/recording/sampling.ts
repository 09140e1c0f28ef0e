import { createHmac, timingSafeEqual } from 'node:crypto';
import { checkOptions, date, type OptionsSchema, optionsSchema } from '#core/options';
import type { HttpRequest } from '#core/http';
import type { BeginOptions } from '../model/profiler.js';

/** Options that select which requests are recorded. By default, all are. */
export interface SampleOptions {
  /** The share of requests to record, from 0 to 1. Default 1. */
  readonly rate?: number;
  /** Whether to keep failed requests (error, or status 500 or above) outside the share. Default true. */
  readonly errors?: boolean;
  /**
   * Duration in milliseconds from which requests outside the share are kept; false to keep none. Default
   * 1000.
   */
  readonly slowMs?: number | false;
  /**
   * Secret for signed `X-Lookback-Sample` headers (`signSample`), which force recording. At least 32
   * characters.
   */
  readonly secret?: string;
}

/** `maybe` means tail-sampled: the record is kept only if the request fails or is slow. */
export type SampleDecision = 'keep' | 'maybe' | 'skip';

/** Request header that forces recording. */
const sampleHeader = 'x-lookback-sample';

/** Decides at the beginning of a request whether to record it and, for `maybe`, again at the end. */
export class Sampler {
  readonly #rate: number;
  readonly #errors: boolean;
  readonly #slowMs: number;
  readonly #secret: string | undefined;

  /** Expects options accepted by `sampleSchema`. */
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

  /** Returns whether to keep a tail-sampled request's record. */
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

interface SampleSignatureOptions {
  /** When the value expires. Default: in one hour. */
  readonly until?: Date;
}

export const sampleSignatureSchema: OptionsSchema<SampleSignatureOptions> =
  optionsSchema<SampleSignatureOptions>({ until: date });

/**
 * Returns a value for the `X-Lookback-Sample` header. Until it expires (by default in one hour), requests
 * with it are recorded regardless of the share. It grants nothing else. Throws a RangeError if the secret has
 * fewer than 32 characters.
 */
export function signSample(secret: string, options: SampleSignatureOptions = {}): string {
  checkOptions('signSample()', options, sampleSignatureSchema);
  checkSecret(secret);
  const { until } = options;
  const seconds = String(Math.floor((until?.getTime() ?? Date.now() + 3_600_000) / 1000));
  return `${seconds}.${sign(seconds, secret)}`;
}

function sign(until: string, secret: string): string {
  return createHmac('sha256', secret).update(`${sampleHeader} ${until}`).digest('base64url');
}

function checkSecret(secret: string): void {
  if (secret.length < 32) throw new RangeError('The sampling secret must have at least 32 characters.');
}

const profiled = /(?:^|&)_profile=cpu(?:&|$)/;

/** Returns whether to take a CPU profile: the request has `?_profile=cpu` and is allowed to use it. */
export function isProfiled({ rawQuery }: HttpRequest, { mayProfile, origin }: BeginOptions): boolean {
  return mayProfile === true && origin !== 'profiler' && profiled.test(rawQuery);
}
