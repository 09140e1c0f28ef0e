import type { ControllerTarget } from '#controller';

/** A route as data, for `createApp`. */
export interface OpenApiRoute {
  readonly name: string;
  readonly path: string;
  readonly methods: readonly string[];
  readonly controller: ControllerTarget;
  readonly operation: false;
  readonly condition?: () => boolean;
}
