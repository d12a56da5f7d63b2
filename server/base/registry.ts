import type { Check } from '#server/base/health/check';
import type { DueLoop } from '#server/base/jobs/due-loop';
import { type DueKind, dueWork } from '#server/base/jobs/due-work';
import type { Chore } from '#server/base/jobs/scheduler';
import type { Discard } from '#server/base/secrets/slice';
import type { SealedColumn } from '#server/base/store/sealed-column';

/** What a slice registers with the service, besides its rules. */
export interface Slice {
  /** Handlers of the routes that contracts/ declares. */
  readonly routes?: Readonly<Record<string, (call: never) => unknown>>;
  readonly loops?: Readonly<Partial<Record<DueKind, DueLoop>>>;
  readonly chores?: Readonly<Record<string, Chore>>;
  /** Milliseconds until the next row is due; undefined if none is waiting. */
  readonly due?: Readonly<Partial<Record<DueKind, MsToNext>>>;
  readonly sealed?: readonly SealedColumn[];
  /** How to discard a sealed text whose key is lost, by table and column. */
  readonly discards?: Readonly<Record<string, Discard>>;
  /** Shown to the operator. They need a migrated database. */
  readonly checks?: Readonly<Record<string, () => Promise<Check>>>;
  readonly close?: () => Promise<unknown> | unknown;
  readonly [rule: string]: unknown;
}

type MsToNext = () => Promise<number | undefined>;

type Intersection<Union> = (Union extends unknown ? (part: Union) => void : never) extends (whole: infer Whole) => void
  ? Whole
  : never;

/** The handlers of all slices of a theme, as one type, so that a declared route without a handler does not compile. */
export type RoutesOf<Theme> = Intersection<
  { [Name in keyof Theme]: Theme[Name] extends { readonly routes: infer Routes } ? Routes : never }[keyof Theme]
>;

export type Registry = ReturnType<typeof createRegistry>;

/** Opening a slice registers its routes, loops, chores and checks, so that none can be forgotten in another list. */
export const createRegistry = () => {
  const names = new Set<string>();
  const closes: (() => unknown)[] = [];
  const routes = createParts<(call: never) => unknown>('route');
  const loops = createParts<DueLoop>('loop');
  const chores = createParts<Chore>('chore');
  const due = createParts<MsToNext>('kind of due work');
  const sealed = createParts<SealedColumn>('sealed column');
  const discards = createParts<Discard>('discard');
  const checks = createParts<() => Promise<Check>>('check');

  return {
    /** `name` is the folder of the slice. A part that is opened separately adds its own name: `accounts/connecting`. */
    open: <S extends Slice>(name: string, slice: S): S => {
      if (names.has(name)) throw new Error(`the slice ${name} is opened twice`);
      names.add(name);
      routes.add(name, slice.routes);
      loops.add(name, slice.loops);
      chores.add(name, slice.chores);
      due.add(name, slice.due);
      sealed.add(name, Object.fromEntries((slice.sealed ?? []).map((one) => [`${one.table}.${one.column}`, one])));
      discards.add(name, slice.discards);
      checks.add(name, slice.checks);
      if (slice.close) closes.push(slice.close);
      return slice;
    },

    names: (): ReadonlySet<string> => names,
    /** Throws if one of the declared routes has no handler. */
    routes: (declared: readonly string[]) => routes.allOf(declared),
    loops: () => loops.allOf(kinds),
    chores: () => chores.all(),
    due: () => due.allOf(kinds),
    sealed: () => Object.values(sealed.all()),
    discards: () => discards.all(),
    checks: () => checks.all(),

    /** In reverse order. A failing one does not stop the others. */
    close: async () => {
      const errors: unknown[] = [];
      for (const close of closes.splice(0).reverse()) {
        try {
          await close();
        } catch (error) {
          errors.push(error);
        }
      }
      if (errors.length > 0) throw errors[0];
    },
  };
};

const kinds = Object.keys(dueWork) as DueKind[];

const createParts = <Part>(kind: string) => {
  const parts = new Map<string, { readonly slice: string; readonly part: Part }>();
  let isCollected = false;
  const all = () => {
    isCollected = true;
    return Object.fromEntries([...parts].map(([name, { part }]) => [name, part]));
  };
  return {
    all,
    add: (slice: string, more: Readonly<Record<string, Part>> = {}) => {
      for (const [name, part] of Object.entries(more)) {
        const other = parts.get(name);
        // The list was already handed out without this part.
        if (isCollected)
          throw new Error(`${slice} brings the ${kind} "${name}" too late; open it before they are used`);
        if (other) throw new Error(`${other.slice} and ${slice} both bring the ${kind} "${name}"; rename one of them`);
        parts.set(name, { slice, part });
      }
    },
    allOf: <Name extends string>(required: readonly Name[]) => {
      const missing = required.filter((name) => !parts.has(name));
      if (missing.length > 0) throw new Error(`no slice brings the ${kind} ${missing.join(', ')}`);
      const every = all();
      return Object.fromEntries(required.map((name) => [name, every[name]])) as Record<Name, Part>;
    },
  };
};
