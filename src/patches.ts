/** Temporarily replaces methods and classes of foreign objects, and restores them. */
export { followPromise, replaceMethod, undoAll, type Method, type Undo } from './patches/replace-method.js';
export { shareUndo } from './patches/share-undo.js';
export { LoadedModules, type KnownModule } from './patches/loaded-modules.js';
export { watchConstruction } from './patches/watch-construction.js';
