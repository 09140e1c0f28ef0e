import type { HttpRequest } from '#http';
import { type RequestConditions, compileConditions } from '../requests/request-matcher.js';
import { PUBLIC_ACCESS } from './authenticated-voter.js';
import type { AccessRequirement } from './decide-access.js';

/** Who may send which requests. The first rule that fits a request decides; a request that none fits is allowed. */
export interface AccessRule extends RequestConditions {
  /** One of these is enough; `PUBLIC_ACCESS` admits everyone. */
  readonly allow: AccessRequirement | readonly AccessRequirement[];
  /** Only over this scheme: a request by the other one is redirected. */
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
      : [rule.allow as AccessRequirement]; // what is no array is one
    return {
      matches: compileConditions(rule),
      allow,
      isPublic: allow.includes(PUBLIC_ACCESS),
      scheme: rule.scheme,
    };
  });
}
