import type { KernelListener } from '#kernel';

/**
 * What a house above the kernel, or an application, adds to it as one value: security, locale and persistence are
 * extensions like any other.
 */
export interface Extension {
  readonly name: string;
  readonly listeners: readonly KernelListener[];
  /** Called when the application is closed. */
  close?(): Promise<void>;
}
