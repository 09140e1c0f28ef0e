import type { ValueResolver } from '#controller';
import type { Extension } from '../app/extension.js';
import { frameworkErrors } from '../configuration/error-codes.js';

const references = new WeakSet<ValueResolver>();

/**
 * Resolves an argument with the same-named resolver of an extension, so that a controller does not depend on the extension:
 * `withArguments([extensionArgument<Tenant>('tenant')], (tenant) => …)`. If no extension has such a resolver,
 * `FRAMEWORK_UNKNOWN_RESOLVER` is thrown when the route is first requested.
 */
export function extensionArgument<Value>(name: string): ValueResolver<Value> {
  const reference: ValueResolver<Value> = {
    name,
    resolve() {
      throw frameworkErrors.create('FRAMEWORK_UNKNOWN_RESOLVER', {
        name,
        known: '(it was called without an application)',
      });
    },
  };
  references.add(reference);
  return reference;
}

/**
 * Returns the extension resolver that a reference refers to, of the last extension that has it; other resolvers
 * unchanged.
 */
export function dereference(resolver: ValueResolver, extensions: readonly Extension[]): ValueResolver {
  if (!references.has(resolver)) return resolver;
  const known = extensions.flatMap((extension) => extension.resolvers ?? []);
  const { name } = resolver;
  const found = known.findLast((one) => one.name === name);
  if (found !== undefined) return found;
  const names = known.map((one) => one.name).join(', ') || '(none)';
  throw frameworkErrors.create('FRAMEWORK_UNKNOWN_RESOLVER', { name, known: names });
}
