import { type AttributeType, defineAttribute } from '#attributes';
import type { HttpRequest } from '#http';
import type { AccessRequirement } from './decide-access.js';

/** What a controller requires of a request. */
export interface GrantRule {
  readonly attribute: AccessRequirement;
  /** Name of the argument (or of the route's parameter) it is asked about; several give a record; a function makes it. */
  readonly subject?: string | readonly string[] | ((subject: SubjectSource) => unknown);
  /** Message of the error. */
  readonly message?: string;
  /** Answers with this status in the place of 403 or a login, e.g. 404 to hide that there is something. */
  readonly status?: number;
  /** Checks only these methods; `GET` includes HEAD. Default: all. */
  readonly methods?: readonly string[];
}

/** What a subject can be made of. */
export interface SubjectSource {
  readonly request: HttpRequest;
  /** The resolved arguments by their names. */
  readonly arguments: ReadonlyMap<string, unknown>;
}

/**
 * Declares who may call a controller, as data or as decorator, on a function, a method or a whole class:
 * `annotate(show, isGranted.of('ROLE_ADMIN'))`, `@isGranted.on({ attribute: 'edit', subject: 'article' })`. If there
 * are several declarations, all have to be met. Checked when the arguments are resolved.
 */
export const isGranted: AttributeType<AccessRequirement | GrantRule> = defineAttribute<
  AccessRequirement | GrantRule
>('isGranted');
