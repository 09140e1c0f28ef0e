import type { ValueResolver } from '#controller';
import type { Extension } from '../app/extension.js';
import { frameworkErrors } from '../configuration/error-codes.js';

const references = new WeakSet<ValueResolver>();

/**
 * The argument from the resolver with this name in the application's extensions, so that a controller depends on no
 * extension: `withArguments([extensionArgument<Tenant>('tenant')], (tenant) => …)`. Throws
 * `FRAMEWORK_UNKNOWN_RESOLVER` when the route is first requested and no extension has one.
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

/** What stands behind a reference to an extension's resolver; any other resolver as it is. The last extension wins. */
export function dereference(resolver: ValueResolver, extensions: readonly Extension[]): ValueResolver {
  if (!references.has(resolver)) return resolver;
  const known = extensions.flatMap((extension) => extension.resolvers ?? []);
  const { name } = resolver;
  const found = known.findLast((one) => one.name === name);
  if (found !== undefined) return found;
  const names = known.map((one) => one.name).join(', ') || '(none)';
  throw frameworkErrors.create('FRAMEWORK_UNKNOWN_RESOLVER', { name, known: names });
}
