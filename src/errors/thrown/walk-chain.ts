import { findCause, readThrown, type ThrownFacts } from './read-thrown.js';

/** One thrown value of a chain, and the properties read from it. */
export interface ChainLink {
  readonly thrown: unknown;
  readonly facts: ThrownFacts;
}

/** A chain of causes, from the outer error inwards. */
export interface ThrownChain {
  readonly links: readonly ChainLink[];
  /** Number of inner causes that were not read. */
  readonly more: number;
  /** The cause of the last link, if it was already visited. */
  readonly circularTo: unknown;
}

/** Maximum number of causes that are counted beyond those read. */
const maxCountedCauses = 200_000;

/**
 * Follows `cause` from the outer error inwards, at most `limit` links; the remaining causes are counted. Ends at an error
 * that was visited before. Visited errors are added to `visited`.
 */
export function walkChain(thrown: unknown, limit: number, visited: Set<unknown>): ThrownChain {
  const links: ChainLink[] = [];
  let next: { value: unknown } | undefined = { value: thrown };
  while (next !== undefined && links.length < limit) {
    if (isObject(next.value) && visited.has(next.value)) return { links, more: 0, circularTo: next.value };
    if (isObject(next.value)) visited.add(next.value);
    const facts = readThrown(next.value);
    links.push({ thrown: next.value, facts });
    next = facts.cause;
  }
  return { links, more: next === undefined ? 0 : countCauses(next.value, visited), circularTo: undefined };
}

function countCauses(first: unknown, visited: ReadonlySet<unknown>): number {
  const counted = new Set<unknown>();
  let next: { readonly value: unknown } | undefined = { value: first };
  while (next !== undefined && counted.size < maxCountedCauses) {
    if (visited.has(next.value) || counted.has(next.value)) break;
    counted.add(next.value);
    next = isObject(next.value) ? findCause(next.value) : undefined;
  }
  return counted.size;
}

function isObject(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}
