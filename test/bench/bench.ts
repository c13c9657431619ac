/** Figures by name, with the unit in the name; a group of groups with the same names is a table. */
export type Figures = { readonly [name: string]: number | Figures }

/** One measurement. */
export type Bench = {
  name: string
  about: string
  /** `minutes`: how long it measures, where it leaves that open. */
  run: (of: { minutes?: number }) => Promise<Figures>
}
