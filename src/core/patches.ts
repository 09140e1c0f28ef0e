/** Temporarily replaces methods and classes of foreign objects, and restores them. */
export {
  followPromise,
  followResult,
  installMethod,
  replaceMethod,
  undoAll,
  shareUndo,
  withRoomInStacks,
} from './patches/replace-method.js';
export { watchConstruction, type Method, type Undo } from './patches/replace-method.js';
export {
  checkAllPackages,
  checkPackage,
  loadOnce,
  supportedPackages,
  type PackageName,
} from './patches/check-package.js';
export { LoadedModules, type KnownModule } from './patches/loaded-modules.js';
