import type { ControllerContext } from '#controller';
import { requestRoute } from '#http';
import type { NodeRequestHandler } from '#web';
import type { AppRoute } from '../app/route-attribute.js';

/** What follows the path that a handler is mounted at. */
const catchAllPath = '/{mountedPath<.*>}';

/** Routes of any method that hand a path and all below it to a handler of `node:http`. */
export function mountRoutes(path: string, handler: NodeRequestHandler): readonly AppRoute[] {
  const base = path.replace(/\/+$/, '');
  const controller = async (context: ControllerContext): Promise<unknown> => {
    const { fromNodeHandler } = await import('#web'); // loaded by those that mount something
    const pattern = context.request.scope.get(requestRoute)?.path ?? base;
    const depth = pattern.replace(catchAllPath, '').split('/').length - 1;
    return fromNodeHandler(handler, { depth })(context);
  };
  const routes: AppRoute[] = [{ path: `${base}${catchAllPath}`, controller, operation: false }];
  return base === '' ? routes : [...routes, { path: base, controller, operation: false }];
}
