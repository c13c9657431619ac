/** The part of dynalite (CommonJS, without types) that the bridge uses. */
declare module 'dynalite' {
  import type { Server } from 'node:http'

  export type DynaliteOptions = {
    /** The folder of its LevelDB; without it, in memory. */
    path?: string
    /** How long a table is CREATING: milliseconds. */
    createTableMs?: number
  }

  export default function dynalite(options?: DynaliteOptions): Server
}
