import { type AttributeType, defineAttribute } from '#attributes';
import type { HttpRequest } from '#http';
import type { AccessRequirement } from './decide-access.js';

/** A requirement that a request must meet before a controller is called. */
export interface GrantRule {
  readonly attribute: AccessRequirement;
  /**
   * Subject of the decision: the name of a controller argument or route parameter, several names for a record, or a
   * function.
   */
  readonly subject?: string | readonly string[] | ((subject: SubjectSource) => unknown);
  /** Message of the error; it is sent to the client. */
  readonly message?: string;
  /** Status to answer with instead of 403 or a login, e.g. 404 to hide that the resource exists. */
  readonly status?: number;
  /** Methods for which the rule is checked; `GET` includes HEAD. Default: all. */
  readonly methods?: readonly string[];
}

/** Values from which a function can compute the subject. */
export interface SubjectSource {
  readonly request: HttpRequest;
  /** The resolved arguments by their names. */
  readonly arguments: ReadonlyMap<string, unknown>;
}

/**
 * Declares who may call a controller, as data or as decorator, on a function, a method or a whole class:
 * `annotate(show, isGranted.of('ROLE_ADMIN'))`, `@isGranted.on({ attribute: 'edit', subject: 'article' })`. All
 * declarations of a controller must be met. They are checked when the arguments are resolved.
 */
export const isGranted: AttributeType<AccessRequirement | GrantRule> = defineAttribute<
  AccessRequirement | GrantRule
>('isGranted');
