import { replaceMethod, undoAll } from '#patches';
import { runFromHere } from '../source/moment.js';

const queryMethods =
  /^(?:get(?:Raw|One|Many|Count|Exists)|find|count|exists|sum|average|minimum|maximum|save|insert|upsert|update|delete|remove|soft|recover|restore|increment|decrement|clear|preload|query|transaction|execute)/;

/**
 * Taps a prototype of TypeORM's manager, data source or query builders. Their methods call the driver later, on a stack
 * without the application, so queries get the source position of the method call. Repositories call the manager.
 */
export function tapTypeormCalls(prototype: object): () => void {
  const names = Object.getOwnPropertyNames(prototype).filter((name) => queryMethods.test(name));
  return undoAll(
    names.map((name) =>
      replaceMethod(prototype, name, (former, args, self) =>
        runFromHere(() => Reflect.apply(former, self, args)),
      ),
    ),
  );
}
