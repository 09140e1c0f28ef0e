import { findCause, readThrown, type ThrownFacts } from './read-thrown.js';

/** One thrown value of a chain with its facts. */
export interface ChainLink {
  readonly thrown: unknown;
  readonly facts: ThrownFacts;
}

/** A chain from the outer error inwards. */
export interface ThrownChain {
  readonly links: readonly ChainLink[];
  /** Causes further inside that were not read. */
  readonly more: number;
  /** The last link's cause is this one, already met. */
  readonly circularTo: unknown;
}

/** Causes that are followed to be counted, beyond those shown. */
const maxCountedCauses = 200_000;

/**
 * Follows `cause` from the outer error inwards, at most `limit` links; the rest is counted. Ends at an error that was
 * met before (in this chain or in `met`, which it adds to).
 */
export function walkChain(thrown: unknown, limit: number, met: Set<unknown>): ThrownChain {
  const links: ChainLink[] = [];
  let next: { value: unknown } | undefined = { value: thrown };
  while (next !== undefined && links.length < limit) {
    if (isObject(next.value) && met.has(next.value)) return { links, more: 0, circularTo: next.value };
    if (isObject(next.value)) met.add(next.value);
    const facts = readThrown(next.value);
    links.push({ thrown: next.value, facts });
    next = facts.cause;
  }
  return { links, more: next === undefined ? 0 : countCauses(next.value, met), circularTo: undefined };
}

function countCauses(first: unknown, met: ReadonlySet<unknown>): number {
  const counted = new Set<unknown>();
  let next: { readonly value: unknown } | undefined = { value: first };
  while (next !== undefined && counted.size < maxCountedCauses) {
    if (met.has(next.value) || counted.has(next.value)) break;
    counted.add(next.value);
    next = isObject(next.value) ? findCause(next.value) : undefined;
  }
  return counted.size;
}

function isObject(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}
