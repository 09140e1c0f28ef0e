import { nameErrors } from '#coded-error';
import { ForbiddenError } from '#errors';
import { type AccessDecision, renderDecision } from './access-decision.js';

/**
 * Access is denied. Answers 403 to a known user; an anonymous visitor gets the entry point of the firewall instead, to
 * log in.
 */
export class AccessDeniedError extends ForbiddenError {
  readonly #decisions: readonly AccessDecision[];

  /** A message passed here is sent to the client unless `expose` is false; the votes never are. */
  constructor(
    message?: string,
    decisions: readonly AccessDecision[] = [],
    { expose = message !== undefined }: { readonly expose?: boolean } = {},
  ) {
    super(message ?? `Access denied. ${decisions.map(renderDecision).join(' | ')}`.trim(), { expose });
    this.#decisions = decisions;
  }

  /** The decisions that led to it; empty if the application threw it itself. */
  get decisions(): readonly AccessDecision[] {
    return this.#decisions;
  }

  /** True for errors of this class; reads nothing that a foreign object could have trapped. */
  static override is(value: unknown): value is AccessDeniedError {
    return typeof value === 'object' && value !== null && #decisions in value;
  }

  static {
    nameErrors(this, 'AccessDeniedError');
  }
}
