import { ForbiddenError } from '#errors';
import type { AccessDecision } from './access-decision.js';
import { renderDecision } from './access-decision.js';

/**
 * Somebody may not do something. Answers 403 to a known user; a stranger is asked to log in instead, by the entry
 * point of the firewall.
 */
export class AccessDeniedError extends ForbiddenError {
  readonly #decisions: readonly AccessDecision[];

  /** The client is sent a message that was given here, unless `expose` is false; never the votes. */
  constructor(
    message?: string,
    decisions: readonly AccessDecision[] = [],
    { expose = message !== undefined }: { readonly expose?: boolean } = {},
  ) {
    super(message ?? `Access denied. ${decisions.map(renderDecision).join(' | ')}`.trim(), { expose });
    this.#decisions = decisions;
  }

  /** What led to it; empty where the application threw it by itself. */
  get decisions(): readonly AccessDecision[] {
    return this.#decisions;
  }

  /** True for errors of this class; reads nothing that a foreign object could have trapped. */
  static override is(value: unknown): value is AccessDeniedError {
    return typeof value === 'object' && value !== null && #decisions in value;
  }

  static {
    Object.defineProperty(this.prototype, 'name', {
      value: 'AccessDeniedError',
      configurable: true,
      writable: true,
    });
  }
}
