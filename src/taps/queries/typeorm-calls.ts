import { replaceMethod, undoAll } from '#patches';
import { runFromHere } from '../source/moment.js';

const asking =
  /^(?:get(?:Raw|One|Many|Count|Exists)|find|count|exists|sum|average|minimum|maximum|save|insert|upsert|update|delete|remove|soft|recover|restore|increment|decrement|clear|preload|query|transaction|execute)/;

/**
 * Prototypes of TypeORM's manager, data source and query builders: their methods ask the driver later, on a stack without the
 * application, so the queries are called from where the methods are. A repository calls the manager.
 */
export function tapTypeormCalls(prototype: object): () => void {
  const names = Object.getOwnPropertyNames(prototype).filter((name) => asking.test(name));
  return undoAll(
    names.map((name) =>
      replaceMethod(prototype, name, (former, args, self) =>
        runFromHere(() => Reflect.apply(former, self, args)),
      ),
    ),
  );
}
