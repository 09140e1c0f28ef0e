/** Temporarily replaces foreign objects' methods and classes, and restores them. */
export {
  followPromise,
  followResult,
  hideOwnFramesOf,
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
  describeVersions,
  findVersion,
  isVersionIn,
  loadOnce,
  supportedPackages,
  type PackageName,
} from './patches/check-package.js';
export {
  LoadedModules,
  type FoundPackage,
  type KnownModule,
  type KnownPackage,
  type SkippedPackage,
} from './patches/loaded-modules.js';
