import { type AttributeType, defineAttribute } from '#core/attributes';
import {
  callable,
  checkOptions,
  checkValue,
  either,
  listOf,
  oneOf,
  optionsSchema,
  type OptionsSchema,
  type OptionType,
  required,
  text,
  whole,
} from '#core/options';
import type { HttpRequest } from '#core/http';
import {
  type RequestConditions,
  compileConditions,
  requestConditionTypes,
} from '../requests/request-conditions.js';
import { PUBLIC_ACCESS, type AccessRequirement } from './decide-access.js';

/** Defines who may send which requests: the first matching rule decides; a request without a rule is allowed. */
export interface AccessRule extends RequestConditions {
  /** Requirements, one of which must be met; `PUBLIC_ACCESS` admits everyone. */
  readonly allow: AccessRequirement | readonly AccessRequirement[];
  /** The required scheme; requests with the other one are redirected. */
  readonly scheme?: 'https' | 'http';
}

const requirement: OptionType<AccessRequirement> = either(
  text,
  callable<Exclude<AccessRequirement, string>>(),
);

export const accessRuleSchema: OptionsSchema<AccessRule> = optionsSchema<AccessRule>({
  ...requestConditionTypes,
  allow: required(either(requirement, listOf(requirement))),
  scheme: oneOf('https', 'http'),
});

export interface CompiledAccessRule {
  readonly matches: (request: HttpRequest) => boolean;
  readonly allow: readonly AccessRequirement[];
  readonly isPublic: boolean;
  /** Its position in the list and its conditions: `2 (path /admin)`. */
  readonly name: string;
  readonly scheme: 'https' | 'http' | undefined;
  /** Whether path, method and route match, whatever the rule's other conditions. */
  readonly fitsRoute: (request: HttpRequest) => boolean;
  /** Whether it has no conditions besides path, method and route. */
  readonly isPlain: boolean;
  /** Whether the rule explicitly covers these requests: its path or route contains the word. */
  readonly mentions: (word: string) => boolean;
}

export function compileAccessRules(rules: readonly AccessRule[]): readonly CompiledAccessRule[] {
  return rules.map((rule, index) => {
    const allow = [rule.allow].flat();
    return {
      matches: compileConditions(rule),
      allow,
      isPublic: allow.includes(PUBLIC_ACCESS),
      name: `${index + 1}${describeConditions(rule)}`,
      scheme: rule.scheme,
      fitsRoute: compileConditions(routeConditions(rule)),
      isPlain: rule.host === undefined && rule.ips === undefined && rule.when === undefined,
      mentions: (word) => textsOf(rule).some((text) => text.includes(word)),
    };
  });
}

function routeConditions({ path, methods, route }: AccessRule): RequestConditions {
  return {
    ...(path === undefined ? {} : { path }),
    ...(methods === undefined ? {} : { methods }),
    ...(route === undefined ? {} : { route }),
  };
}

function textsOf({ path = [], route = [] }: AccessRule): readonly string[] {
  return [path, route].flat(2).map((one) => (typeof one === 'string' ? one : one.source));
}

/** Renders a rule's conditions for messages: ` (path /admin; methods POST)`. */
export function describeConditions({ allow: _allow, scheme: _scheme, ...conditions }: AccessRule): string {
  const words = Object.entries(conditions)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) =>
      typeof value === 'function' ? name : `${name} ${[value].flat().map(String).join(', ')}`,
    );
  return words.length === 0 ? '' : ` (${words.join('; ')})`;
}

/** A requirement that a request must meet before a controller is called. */
export interface GrantRule {
  readonly attribute: AccessRequirement;
  /** The decision's subject: a controller argument's or route parameter's name, or a function. */
  readonly subject?: string | ((subject: SubjectSource) => unknown);
  /** The error's message; it is sent to the client. */
  readonly message?: string;
  /** Status to answer with instead of 403 or a login, e.g. 404 to hide that the resource exists. */
  readonly status?: number;
}

export const grantRuleSchema: OptionsSchema<GrantRule> = optionsSchema<GrantRule>({
  attribute: required(requirement),
  subject: either(text, callable<(subject: SubjectSource) => unknown>()),
  message: text,
  status: whole({ min: 400, max: 599 }),
});

interface SubjectSource {
  readonly request: HttpRequest;
  /** The resolved arguments by their names. */
  readonly arguments: ReadonlyMap<string, unknown>;
}

/**
 * Declares who may call a controller, as data or as a decorator, on a function, a method or a whole class:
 * `annotate(show, isGranted.of('ROLE_ADMIN'))`, `@isGranted.on({ attribute: 'edit', subject: 'article' })`. All
 * declarations of a controller must be met. They are checked when the arguments have been resolved.
 */
export const isGranted: AttributeType<AccessRequirement | GrantRule> = defineAttribute<
  AccessRequirement | GrantRule
>('isGranted', (rule) => {
  if (typeof rule === 'object') checkOptions('isGranted', rule, grantRuleSchema);
  else checkValue('isGranted', 'requirement', rule, requirement);
});
