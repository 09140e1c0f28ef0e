import { nameErrors } from '#coded-error';
import { ForbiddenError } from '#errors';
import { type AccessDecision, renderDecision } from './access-decision.js';

/**
 * Thrown if access is denied. Answered with 403 for a known user; an anonymous visitor is sent to the entry point of the
 * firewall, to log in.
 */
export class AccessDeniedError extends ForbiddenError {
  readonly #decisions: readonly AccessDecision[];

  /** A given message is sent to the client unless `expose` is false; the votes are never sent. */
  constructor(
    message?: string,
    decisions: readonly AccessDecision[] = [],
    { expose = message !== undefined }: { readonly expose?: boolean } = {},
  ) {
    super(message ?? `Access denied. ${decisions.map(renderDecision).join(' | ')}`.trim(), { expose });
    this.#decisions = decisions;
  }

  /** The decisions that led to this error; empty if the application threw it. */
  get decisions(): readonly AccessDecision[] {
    return this.#decisions;
  }

  /** Returns whether a value is an error of this class. Never throws, not even for a Proxy. */
  static override is(value: unknown): value is AccessDeniedError {
    return typeof value === 'object' && value !== null && #decisions in value;
  }

  static {
    nameErrors(this, 'AccessDeniedError');
  }
}
