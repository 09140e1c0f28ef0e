import { isProxy } from 'node:util/types';
import {
  isPlainValue,
  isSecretLabel,
  labelledNames,
  labelNames,
  labelTextOf,
  privateKeyMembers,
  type Redactor,
  redactMember,
  secretVariablesBeside,
} from '#core/dump';

interface Budget {
  readonly redactor: Redactor;
  nodes: number;
  text: number;
  cut: boolean;
}

const maxDepth = 16;

/**
 * Copies plain data from any value. Omits accessors, Proxies, functions and levels beyond a maximum depth, and redacts
 * values with secret names. Runs none of the value's code. `limit` is the total number of characters; `cut` is true if
 * something did not fit.
 */
export function copyPlain(
  value: unknown,
  redactor: Redactor,
  limit: number,
): { readonly data: unknown; readonly cut: boolean } {
  const budget: Budget = { redactor, nodes: limit / 8, text: limit, cut: false };
  const data = copy(value, budget, 0) ?? null;
  return { data, cut: budget.cut };
}

function copy(value: unknown, budget: Budget, depth: number, secrets?: ReadonlySet<string>): unknown {
  if (--budget.nodes < 0 || budget.text < 0 || depth > maxDepth) {
    budget.cut = true;
    return undefined;
  }
  switch (typeof value) {
    case 'string':
      return copyText(value, budget);
    case 'number':
      return Number.isFinite(value) ? value : String(value);
    case 'boolean':
      return value;
    case 'bigint':
      return `${value}n`;
    case 'object':
      break;
    default:
      return undefined;
  }
  if (value === null) return null;
  if (isProxy(value)) return undefined;
  // It has a key for every byte.
  if (ArrayBuffer.isView(value)) return '(bytes)';
  return Array.isArray(value)
    ? copyList(value, budget, depth)
    : copyObject(value, { budget, depth, secrets });
}

function copyText(value: string, budget: Budget): string {
  const room = Math.max(0, Math.min(value.length, budget.text));
  if (room < value.length) budget.cut = true;
  budget.text -= room;
  return budget.redactor.text(room < value.length ? value.slice(0, room) : value);
}

function copyList(list: unknown[], budget: Budget, depth: number): unknown[] {
  const out: unknown[] = [];
  for (let at = 0; at < list.length; at++) {
    if (budget.nodes <= 0 || budget.text < 0) {
      budget.cut = true;
      break;
    }
    const before = valueOf(list, String(at - 1));
    const isOption = typeof before === 'string' && before.startsWith('--');
    const isPair = list.length === 2 && at === 1 && typeof before === 'string' && typeof list[1] === 'string';
    const name = isOption ? before.slice(2) : isPair ? before : undefined;
    const hidden = name !== undefined && isSecretText(name, budget.redactor);
    out.push(
      hidden
        ? redactMember(valueOf(list, String(at)))
        : (copy(valueOf(list, String(at)), budget, depth + 1) ?? null),
    );
  }
  return out;
}

interface Place {
  readonly budget: Budget;
  readonly depth: number;
  /** Names of members that are secret here: GraphQL variables declared in a neighbouring document. */
  readonly secrets: ReadonlySet<string> | undefined;
}

function copyObject(from: object, { budget, depth, secrets }: Place): object {
  // Null prototype: assigning a key `__proto__` is harmless, and no `toJSON` is inherited.
  const out = Object.create(null) as Record<string, unknown>; // any in the library's type
  const { redactor } = budget;
  const isLabelled = Object.keys(from).some(
    (key) =>
      labelNames.has(key.toLowerCase()) &&
      isSecretLabel(key, labelTextOf(valueOf(from, key)) ?? '', (name) => redactor.isSecretName(name)),
  );
  const isKey = typeof valueOf(from, 'kty') === 'string';
  const variables = variablesOf(from, redactor);
  for (const key of Object.keys(from)) {
    if (budget.nodes <= 0 || budget.text < 0) {
      budget.cut = true;
      break;
    }
    const property = Object.getOwnPropertyDescriptor(from, key);
    if (property === undefined || !('value' in property)) continue;
    const member = property.value as unknown; // any in the library's type
    budget.text -= key.length;
    const hidden =
      isRevealing(member) &&
      ((redactor.isSecretName(key) && !isPlainValue(key, member)) ||
        (isLabelled && labelledNames.has(key.toLowerCase())) ||
        (isKey && privateKeyMembers.has(key)) ||
        secrets?.has(key) === true);
    const taken = hidden
      ? redactMember(member)
      : copy(member, budget, depth + 1, key === 'variables' ? variables : undefined);
    if (key !== 'toJSON' && taken !== undefined) out[key] = taken;
  }
  return out;
}

/** Returns the secret variables of a GraphQL request: an object with `variables` and a document that declares them. */
function variablesOf(from: object, redactor: Redactor): ReadonlySet<string> | undefined {
  if (typeof valueOf(from, 'variables') !== 'object') return undefined;
  return secretVariablesBeside(
    Object.keys(from)
      .slice(0, 50)
      .map((key) => valueOf(from, key)),
    (name) => redactor.isSecretName(name),
  );
}

/** Reads an own property without running the value's code. */
function valueOf(holder: object, key: string): unknown {
  return Object.getOwnPropertyDescriptor(holder, key)?.value as unknown; // any in the library's type
}

function isSecretText(text: unknown, redactor: Redactor): boolean {
  return typeof text === 'string' && redactor.isSecretName(text.slice(0, 300));
}

/** Returns whether a value under a secret name can be secret; booleans and empty values cannot. */
function isRevealing(member: unknown): boolean {
  return member !== null && member !== undefined && member !== '' && typeof member !== 'boolean';
}
