import type { HttpRequest } from '#http';
import { type RequestConditions, compileConditions } from '../requests/request-matcher.js';
import { PUBLIC_ACCESS } from './authenticated-voter.js';
import type { AccessRequirement } from './decide-access.js';

/**
 * Defines who may send which requests. The first rule that matches a request decides; a request without a matching rule
 * is allowed.
 */
export interface AccessRule extends RequestConditions {
  /** Requirements of which one must be met; `PUBLIC_ACCESS` admits everyone. */
  readonly allow: AccessRequirement | readonly AccessRequirement[];
  /** The required scheme; requests with the other one are redirected. */
  readonly scheme?: 'https' | 'http';
}

export interface CompiledAccessRule {
  readonly matches: (request: HttpRequest) => boolean;
  readonly allow: readonly AccessRequirement[];
  readonly isPublic: boolean;
  readonly scheme: 'https' | 'http' | undefined;
}

export function compileAccessRules(rules: readonly AccessRule[]): readonly CompiledAccessRule[] {
  return rules.map((rule) => {
    const allow: readonly AccessRequirement[] = Array.isArray(rule.allow)
      ? (rule.allow as readonly AccessRequirement[]) // Array.isArray loses readonly arrays
      : [rule.allow as AccessRequirement]; // anything but an array is a single requirement
    return {
      matches: compileConditions(rule),
      allow,
      isPublic: allow.includes(PUBLIC_ACCESS),
      scheme: rule.scheme,
    };
  });
}
