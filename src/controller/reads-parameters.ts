declare const parametersRead: unique symbol;

/** For the compiler only: the route parameters that a controller reads. The path that it stands under must have them. */
export interface ReadsParameters<Names extends string> {
  readonly [parametersRead]?: Names;
}
