type Intersection<Union> = (Union extends unknown ? (part: Union) => void : never) extends (whole: infer Whole) => void
  ? Whole
  : never;
type Offered<Slice, Kind extends string> = Slice extends { readonly [kind in Kind]: infer Things } ? Things : never;

/** What all slices offer of one kind (routes, loops, chores), as one object. */
export const ofAll = <Kind extends string, Slice extends object>(slices: readonly Slice[], kind: Kind) =>
  Object.assign({}, ...slices.map((slice) => (slice as { [kind in Kind]?: object })[kind])) as Intersection<
    Offered<Slice, Kind>
  >;
