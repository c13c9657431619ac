/** One measurement: figures by name, with the unit in the name. */
export type Bench = {
  name: string
  about: string
  run: () => Promise<Readonly<Record<string, number>>>
}
