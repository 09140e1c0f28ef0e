/** Methods of foreign objects, replaced temporarily and restored. */
export { followPromise, replaceMethod, undoAll } from './patches/replace-method.js';
export type { Method, Undo } from './patches/replace-method.js';
export { shareUndo } from './patches/share-undo.js';
export { LoadedModules } from './patches/loaded-modules.js';
export type { KnownModule } from './patches/loaded-modules.js';
export { watchConstruction } from './patches/watch-construction.js';
